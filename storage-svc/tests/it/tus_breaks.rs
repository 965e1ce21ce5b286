//! Uploads that break off, and requests that want the same one.

use std::io::ErrorKind;

use axum::body::{Body, Bytes};
use chrono::{TimeDelta, Utc};
use futures_util::{StreamExt as _, stream};
use http::Method;
use tokio::sync::mpsc;

use super::{
    Service,
    tus::{BYTES, begin, content, head, patch, place, post, text, tus},
};

/// A body whose bytes the test sends, and that never ends by itself.
fn open_body() -> (mpsc::Sender<&'static str>, Body) {
    let (sender, receiver) = mpsc::channel(1);
    let chunks = stream::unfold(receiver, async |mut receiver: mpsc::Receiver<_>| {
        let text: &'static str = receiver.recv().await?;
        Some((Ok::<_, std::io::Error>(Bytes::from(text)), receiver))
    });
    (sender, Body::from_stream(chunks.chain(stream::pending())))
}

/// Sends bytes, and waits until the service has them.
async fn give(sender: &mpsc::Sender<&'static str>, text: &'static str) {
    sender.send(text).await.unwrap();
    drop(sender.reserve().await.unwrap());
}

/// A body that breaks off behind these bytes.
fn broken_body(text: &'static str) -> Body {
    let error = std::io::Error::from(ErrorKind::ConnectionReset);
    Body::from_stream(stream::iter([Ok(Bytes::from(text)), Err(error)]))
}

#[tokio::test]
async fn what_has_arrived_is_kept() {
    let service = Service::start().await;
    let path = begin(&service, "k", 10).await;
    let send = |offset, body| {
        patch(&service.app, &path, offset)
            .service()
            .body(body)
            .send()
    };
    send(0, broken_body("0123")).await;
    assert_eq!(head(&service, &path).await.header("upload-offset"), "4");
    assert_eq!(send(0, Body::from("0123")).await.status, 409);
    send(4, broken_body("")).await;
    send(4, broken_body("45")).await;
    assert_eq!(head(&service, &path).await.header("upload-offset"), "6");
    let answer = send(6, Body::from("6789")).await;
    assert_eq!((answer.status, answer.header("tus-complete")), (204, "1"));
    assert_eq!(content(&service, "closed/k").await.bytes, b"0123456789");
}

#[tokio::test]
async fn a_body_that_is_too_long_adds_nothing_behind_the_end() {
    let service = Service::start().await;
    let path = begin(&service, "k", 6).await;
    let chunks = ["0123", "4567"].map(|text| Ok::<_, std::io::Error>(Bytes::from(text)));
    let body = Body::from_stream(stream::iter(chunks));
    let answer = patch(&service.app, &path, 0)
        .service()
        .body(body)
        .send()
        .await;
    assert_eq!(
        (answer.status, text(&answer)),
        (413, "Maximum size exceeded\n")
    );
    assert_eq!(head(&service, &path).await.header("upload-offset"), "4");
    let answer = patch(&service.app, &path, 4)
        .service()
        .body("45")
        .send()
        .await;
    assert_eq!(answer.status, 204);
    assert_eq!(content(&service, "closed/k").await.bytes, b"012345");
}

#[tokio::test]
async fn who_comes_back_takes_over_from_a_request_that_hangs() {
    let service = Service::start().await;
    // Through this copy of the service, and through another.
    let other = service.copy(&[]).await;
    for (key, app) in [("here", &service.app), ("there", &other)] {
        let path = begin(&service, key, 6).await;
        let (sender, body) = open_body();
        let hanging = patch(&service.app, &path, 0).service().body(body).send();
        let back = async {
            give(&sender, "abc").await;
            let answer = tus(app, Method::HEAD, &path).service().send().await;
            assert_eq!((answer.status, answer.header("upload-offset")), (200, "3"));
            let answer = patch(app, &path, 3).service().body("def").send().await;
            assert_eq!((answer.status, answer.header("tus-complete")), (204, "1"));
        };
        let (hung, ()) = tokio::join!(hanging, back);
        // It was asked to let go, and says how far it came.
        assert_eq!((hung.status, hung.header("upload-offset")), (204, "3"));
        assert_eq!(hung.header("connection"), "close");
        assert_eq!(
            content(&service, &format!("closed/{key}")).await.bytes,
            b"abcdef"
        );
    }
}

#[tokio::test]
async fn of_many_who_send_the_same_part_one_is_counted() {
    let service = Service::start().await;
    let other = service.copy(&[]).await;
    let path = begin(&service, "k", 8).await;
    let tries = (0..12).map(|number: u32| {
        let app = if number.is_multiple_of(2) {
            &service.app
        } else {
            &other
        };
        patch(app, &path, 0).service().body("0123").send()
    });
    let answers = futures_util::future::join_all(tries).await;
    // Some may wait in vain for their turn; nobody's bytes are counted twice.
    for answer in &answers {
        assert!(matches!(answer.status, 204 | 409 | 503), "{answer:?}");
    }
    let stored = answers
        .iter()
        .filter(|answer| answer.header("upload-offset") == "4");
    assert_eq!(stored.count(), 1);
    assert_eq!(head(&service, &path).await.header("upload-offset"), "4");
    let answer = patch(&other, &path, 4).service().body("4567").send().await;
    assert_eq!((answer.status, answer.header("tus-complete")), (204, "1"));
    assert_eq!(content(&service, "closed/k").await.bytes, b"01234567");
}

#[tokio::test]
async fn long_bodies_are_cut_and_joined() {
    const LENGTH: usize = 20 * 1024 * 1024 + 7;
    let service = Service::start_with(&[("FILE_SIZE_LIMIT", "100000000")]).await;
    let path = begin(&service, "long", LENGTH).await;
    let bytes: Vec<u8> = (0..LENGTH)
        .map(|at| u8::try_from(at % 251).unwrap())
        .collect();
    let bytes = Bytes::from(bytes);
    let error = std::io::Error::from(ErrorKind::ConnectionReset);
    let half = 17 * 1024 * 1024;
    let body = Body::from_stream(stream::iter([Ok(bytes.slice(..half)), Err(error)]));
    patch(&service.app, &path, 0)
        .service()
        .body(body)
        .send()
        .await;
    let files = service.files();
    let pieces = files.iter().filter(|file| file.contains("/0000")).count();
    assert_eq!(pieces, 2, "{files:?}");
    assert_eq!(
        head(&service, &path).await.header("upload-offset"),
        half.to_string()
    );
    let rest = bytes.slice(half..);
    let answer = patch(&service.app, &path, half)
        .service()
        .body(rest)
        .send()
        .await;
    assert_eq!((answer.status, answer.header("tus-complete")), (204, "1"));
    assert_eq!(content(&service, "closed/long").await.bytes, bytes);
}

#[tokio::test]
async fn many_small_parts_become_fewer() {
    const PARTS: usize = 260;
    let service = Service::start_with(&[("STORAGE_FILE_SYNC", "false")]).await;
    let path = begin(&service, "k", PARTS).await;
    for offset in 0..PARTS {
        let answer = patch(&service.app, &path, offset)
            .service()
            .body("x")
            .send()
            .await;
        assert_eq!(answer.status, 204, "{}", text(&answer));
        let pieces = service.files();
        let pieces = pieces.iter().filter(|file| file.contains("/0000")).count();
        assert!(pieces <= 257, "{pieces}");
    }
    assert_eq!(
        content(&service, "closed/k").await.bytes,
        "x".repeat(PARTS).as_bytes()
    );
}

#[tokio::test]
async fn an_upload_is_finished_by_who_finds_all_of_its_bytes() {
    let service = Service::start().await;
    let path = begin(&service, "k", 4).await;
    // The database has gone away when the row is to be written, after the last byte was kept.
    let refuse = "create function refuse() returns trigger language plpgsql as $$
            begin raise exception 'not now' using errcode = 'XX000'; end $$;
        create trigger refuse before insert on storage.objects for each row
            when (new.version <> '1') execute function refuse()";
    sqlx::raw_sql(refuse)
        .execute(&service.pool())
        .await
        .unwrap();
    let send = |offset| patch(&service.app, &path, offset).service();
    assert_eq!(send(0).body("abcd").send().await.status, 500);
    assert_eq!(
        head(&service, &path).await.status,
        500,
        "it is not there yet"
    );
    sqlx::raw_sql("drop trigger refuse on storage.objects")
        .execute(&service.pool())
        .await
        .unwrap();
    let answer = head(&service, &path).await;
    assert_eq!((answer.status, answer.header("upload-offset")), (200, "4"));
    assert_eq!(content(&service, "closed/k").await.bytes, b"abcd");
    // Once is enough: the same again changes nothing.
    let answer = send(4).send().await;
    assert_eq!((answer.status, answer.header("tus-complete")), (204, "1"));
    service
        .app
        .sweep(Utc::now() + TimeDelta::hours(2))
        .await
        .unwrap();
    assert_eq!(content(&service, "closed/k").await.bytes, b"abcd");
    assert_eq!(service.files().len(), 1, "{:?}", service.files());
}

#[tokio::test]
async fn that_it_is_over_outlives_the_object() {
    let service = Service::start().await;
    let path = begin(&service, "k", 4).await;
    let send = |offset, text| {
        patch(&service.app, &path, offset)
            .service()
            .body(text)
            .send()
    };
    assert_eq!(send(0, "abcd").await.status, 204);
    for _ in 0..2 {
        let answer = send(4, "").await;
        assert_eq!((answer.status, answer.header("tus-complete")), (204, "1"));
        let answer = head(&service, &path).await;
        assert_eq!((answer.status, answer.header("upload-offset")), (200, "4"));
    }
    let delete = service.call(Method::DELETE, "/object/closed/k").service();
    assert_eq!(delete.send().await.status, 200);
    let answer = head(&service, &path).await;
    assert_eq!((answer.status, answer.header("upload-offset")), (200, "4"));
    assert_eq!(
        content(&service, "closed/k").await.status,
        400,
        "and does not bring it back"
    );
}

#[tokio::test]
async fn a_row_that_was_written_is_not_written_again() {
    let service = Service::start().await;
    let path = begin(&service, "k", 4).await;
    assert_eq!(
        patch(&service.app, &path, 0)
            .service()
            .body("abcd")
            .send()
            .await
            .status,
        204
    );
    // As if the process had ended right behind the row.
    let done = service
        .files()
        .into_iter()
        .find(|file| file.contains("/done-"));
    std::fs::remove_file(service.folder.path().join(done.unwrap())).unwrap();
    let version = "select version from storage.objects where name = 'k'";
    let before: String = sqlx::query_scalar(version)
        .fetch_one(&service.pool())
        .await
        .unwrap();
    let folder = service
        .files()
        .into_iter()
        .find(|file| file.ends_with("/info.json"));
    let folder = service.folder.path().join(folder.unwrap());
    let piece = format!("{:020}-{}", 0, uuid::Uuid::nil());
    std::fs::write(folder.with_file_name(piece), "abcd").unwrap();
    let answer = head(&service, &path).await;
    assert_eq!((answer.status, answer.header("upload-offset")), (200, "4"));
    let after: String = sqlx::query_scalar(version)
        .fetch_one(&service.pool())
        .await
        .unwrap();
    assert_eq!(before, after);
}

#[tokio::test]
async fn uploads_that_rest_are_swept() {
    let service = Service::start_with(&[("TUS_URL_EXPIRY_MS", "60000")]).await;
    let path = begin(&service, "k", 4).await;
    assert_eq!(
        patch(&service.app, &path, 0)
            .service()
            .body("ab")
            .send()
            .await
            .status,
        204
    );
    service.app.sweep(Utc::now()).await.unwrap();
    assert_eq!(head(&service, &path).await.header("upload-offset"), "2");
    service
        .app
        .sweep(Utc::now() + TimeDelta::minutes(2))
        .await
        .unwrap();
    assert_eq!(head(&service, &path).await.status, 404);
    assert_eq!(service.files(), Vec::<String>::new());
}

#[tokio::test]
async fn a_connection_that_is_lost_takes_its_locks_and_nothing_else() {
    let service = Service::start().await;
    let path = begin(&service, "k", 6).await;
    let (sender, body) = open_body();
    let writing = patch(&service.app, &path, 0).service().body(body).send();
    let lose = async {
        give(&sender, "abc").await;
        let killed: i64 = sqlx::query_scalar(
            "select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory'
             and database = (select oid from pg_database where datname = current_database())",
        )
        .fetch_one(&service.pool())
        .await
        .unwrap();
        assert_eq!(killed, 1);
    };
    let (written, ()) = tokio::join!(writing, lose);
    assert_eq!(
        (written.status, written.header("upload-offset")),
        (204, "3")
    );
    let answer = patch(&service.app, &path, 3)
        .service()
        .body("def")
        .send()
        .await;
    assert_eq!((answer.status, answer.header("tus-complete")), (204, "1"));
}

#[tokio::test]
async fn a_creation_that_breaks_off_leaves_an_upload() {
    let service = Service::start().await;
    let answer = post(&service, "closed", "k", 4)
        .service()
        .header("content-type", BYTES)
        .body(broken_body("ab"))
        .send()
        .await;
    assert_eq!(answer.header("upload-offset"), "2");
    assert_eq!(
        head(&service, &place(&answer))
            .await
            .header("upload-offset"),
        "2"
    );
}
