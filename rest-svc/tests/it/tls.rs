//! TLS to the database, on a server of its own: certificates belong to the whole cluster.

use std::{os::unix::fs::PermissionsExt as _, path::Path, time::Duration};

use pg_embed::{Cluster, ClusterConfig, free_port};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rest_svc::{App, Config};
use svc_kit::env::Vars;
use tokio_util::sync::CancellationToken;

/// Writes an authority and a server's certificate for `name` by it.
fn certify(dir: &Path, name: &str) {
    let authority_key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_pem = authority.self_signed(&authority_key).unwrap().pem();
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &issuer).unwrap();
    std::fs::write(dir.join("authority.pem"), authority_pem).unwrap();
    std::fs::write(dir.join("server.pem"), certificate.pem()).unwrap();
    std::fs::write(dir.join("server.key"), key.serialize_pem()).unwrap();
}

/// How a service that is told this fares: the answer to whether its session is encrypted, or none in that time.
async fn encrypted(url: &str, patience: Duration) -> Option<bool> {
    let vars: Vars = [
        ("PGRST_DB_URI", url),
        ("PGRST_DB_ANON_ROLE", "supabase_admin"),
        ("PGRST_DB_SCHEMAS", "public"),
        ("PGRST_DB_POOL_ACQUISITION_TIMEOUT", "30"),
    ]
    .into_iter()
    .collect();
    let app = App::connect(Config::from_vars(&vars).ok()?).await.ok()?;
    let stop = CancellationToken::new();
    app.spawn_workers(stop.clone());
    let ready = app.wait_ready(patience).await;
    let _stop = stop.drop_guard();
    ready.ok()?;
    let request = axum::http::Request::get("/rpc/is_encrypted")
        .body(axum::body::Body::empty())
        .unwrap();
    let response = tower::ServiceExt::oneshot(app.router(), request)
        .await
        .unwrap();
    let body = axum::body::to_bytes(response.into_body(), 1000)
        .await
        .unwrap();
    Some(&body[..] == b"true")
}

#[tokio::test]
async fn each_sslmode_asks_for_as_much_as_in_libpq() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    certify(dir.path(), "localhost");
    let port = free_port().unwrap();
    let mut config = ClusterConfig::new(dir.path().join("cluster"), port);
    config.roots = vec![std::env::current_dir().unwrap()];
    let cluster = Cluster::start(&config).await.unwrap();
    let data = dir.path().join("cluster/pgdata");
    // The server's account reads its key, and nobody else does.
    let owner = std::os::unix::fs::MetadataExt::uid(&data.metadata().unwrap());
    let place = |name: &str| {
        let file = data.join(name);
        std::fs::copy(dir.path().join(name), &file).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::chown(&file, Some(owner), None).unwrap();
    };
    place("server.pem");
    place("server.key");
    let base = format!("postgres://supabase_admin:postgres@localhost:{port}/postgres");
    let pool = sqlx::PgPool::connect(&format!("{base}?sslmode=disable"))
        .await
        .unwrap();
    sqlx::raw_sql(
        "create function is_encrypted() returns boolean language sql security definer
             as 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'",
    )
    .execute(&pool)
    .await
    .unwrap();
    // What works may take its time on a busy machine; what is refused is refused at once, and again.
    let (long, short) = (Duration::from_secs(60), Duration::from_secs(3));
    let prefer = encrypted(&format!("{base}?sslmode=prefer"), long).await;
    assert_eq!(prefer, Some(false));
    let require = encrypted(&format!("{base}?sslmode=require"), short).await;
    assert_eq!(require, None);
    for statement in [
        "alter system set ssl_cert_file = 'server.pem'",
        "alter system set ssl_key_file = 'server.key'",
        "alter system set ssl = on",
        "select pg_reload_conf()",
    ] {
        sqlx::raw_sql(statement).execute(&pool).await.unwrap();
    }
    let mut speaks_tls = false;
    for _ in 0..100 {
        let tried = sqlx::PgPool::connect(&format!("{base}?sslmode=require")).await;
        speaks_tls = tried.is_ok();
        if speaks_tls {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(speaks_tls);
    let authority = dir.path().join("authority.pem");
    let trusted = format!("sslrootcert={}", authority.display());
    let by_address = base.replace("localhost", "127.0.0.1");
    for (url, expected) in [
        (base.clone(), Some(true)),
        (format!("{base}?sslmode=disable"), Some(false)),
        (format!("{base}?sslmode=require"), Some(true)),
        (format!("{base}?sslmode=verify-full&{trusted}"), Some(true)),
        // Its certificate is for a name, not for the address.
        (
            format!("{by_address}?sslmode=verify-ca&{trusted}"),
            Some(true),
        ),
        (format!("{by_address}?sslmode=verify-full&{trusted}"), None),
        (
            format!("{base}?sslmode=verify-full&sslrootcert=system"),
            None,
        ),
        (format!("{base}?sslmode=verify-full"), None),
    ] {
        let patience = if expected.is_some() { long } else { short };
        assert_eq!(encrypted(&url, patience).await, expected, "{url}");
    }
    pool.close().await;
    cluster.stop().await.unwrap();
}
