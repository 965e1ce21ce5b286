use serde_json::json;
use sqlx::Row as _;
use svc_kit::{
    jwt::Claims,
    pg::{Caller, begin_as},
    testing::{Template, TestDb},
};

fn template() -> Template {
    Template::new("caller").fixture(
        "create table public.note (id int primary key, owner uuid, body text);
         alter table public.note enable row level security;
         create policy own on public.note for all to authenticated
             using (owner = (current_setting('request.jwt.claims', true)::jsonb ->> 'sub')::uuid);
         insert into public.note values
             (1, '00000000-0000-0000-0000-000000000001', 'mine'), (2, '00000000-0000-0000-0000-000000000002', 'theirs')",
    )
}

fn user(last_digit: u8) -> Claims {
    let claims = json!({ "role": "authenticated", "sub": format!("00000000-0000-0000-0000-00000000000{last_digit}") });
    claims.as_object().unwrap().clone().into()
}

#[tokio::test]
async fn policies_see_the_callers_role_and_claims() {
    let db = TestDb::new(&template()).await;
    let pool = sqlx::PgPool::connect(&db.url_as("authenticator"))
        .await
        .unwrap();
    for (role, claims, expected) in [
        ("authenticated", user(1), vec!["mine"]),
        ("authenticated", user(2), vec!["theirs"]),
        ("authenticated", user(3), vec![]),
        ("anon", Claims::anonymous("anon"), vec![]),
        (
            "service_role",
            Claims::anonymous("service_role"),
            vec!["mine", "theirs"],
        ),
    ] {
        let mut tx = begin_as(&pool, &Caller::new(role, &claims)).await.unwrap();
        let bodies: Vec<String> = sqlx::query_scalar("select body from public.note order by id")
            .fetch_all(&mut *tx)
            .await
            .unwrap();
        assert_eq!(bodies, expected, "{role}");
    }
}

#[tokio::test]
async fn nothing_of_a_caller_stays_on_the_connection() {
    let db = TestDb::new(&template()).await;
    let pool = sqlx::postgres::PgPoolOptions::new()
        .max_connections(1)
        .connect(&db.url_as("authenticator"))
        .await
        .unwrap();
    let caller = Caller::new("service_role", &user(1)).with("request.method", "GET");
    begin_as(&pool, &caller)
        .await
        .unwrap()
        .commit()
        .await
        .unwrap();
    let row = sqlx::query(
        "select current_user::text, current_setting('request.jwt.claims', true), current_setting('request.method', true)",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(row.get::<String, _>(0), "authenticator");
    assert_eq!(row.get::<Option<String>, _>(1).unwrap_or_default(), "");
    assert_eq!(row.get::<Option<String>, _>(2).unwrap_or_default(), "");
}
