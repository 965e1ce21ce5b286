//! `/admin/sso/providers`.

use serde_json::{Value, json};

use crate::{
    identity_provider::{ENTITY, IdentityProvider},
    test_app::{Reply, TestApp, service_token},
};

const PATH: &str = "/admin/sso/providers";

fn metadata(entity: &str) -> String {
    IdentityProvider::new().metadata(entity, "")
}

async fn create(app: &TestApp, body: Value) -> Reply {
    app.post_as(PATH, &service_token(), body).await
}

#[tokio::test]
async fn providers_are_made_read_changed_and_removed() {
    let app = TestApp::start(&[]).await;
    let token = service_token();
    let mapping = json!({ "keys": { "z": { "name": "zz" }, "a": { "names": ["b"], "default": 1, "array": true } } });
    let body = json!({
        "type": "saml",
        "metadata_xml": metadata(ENTITY),
        "domains": ["one.test", "Two.test"],
        "attribute_mapping": mapping,
        "name_id_format": "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
        "resource_id": "r1",
        "disabled": false,
    });
    let made = create(&app, body).await;
    assert_eq!(made.status, 201, "{made:?}");
    let mut expected = made.body.clone();
    let id = made.text("id");
    expected["id"] = Value::Null;
    expected["created_at"] = Value::Null;
    expected["updated_at"] = Value::Null;
    assert_eq!(
        expected,
        json!({
            "id": null,
            "resource_id": "r1",
            "disabled": false,
            "saml": {
                "entity_id": ENTITY,
                "metadata_xml": metadata(ENTITY),
                "attribute_mapping": mapping,
                "name_id_format": "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
            },
            "domains": [{ "domain": "one.test" }, { "domain": "Two.test" }],
            "created_at": null,
            "updated_at": null,
        })
    );
    for path in [format!("{PATH}/{id}"), format!("{PATH}/resource_r1")] {
        assert_eq!(app.get(&path, &token).await.ok().body, made.body);
    }
    let path = format!("{PATH}/{id}");
    let body = json!({ "domains": ["one.test", "three.test"], "disabled": true, "resource_id": "", "attribute_mapping": { "keys": {} } });
    let changed = app.put(&path, &token, body).await.ok();
    assert_eq!(changed.body["disabled"], true);
    assert!(changed.body.get("resource_id").is_none());
    assert_eq!(changed.body["saml"]["attribute_mapping"], json!({}));
    assert_eq!(
        changed.body["saml"]["name_id_format"],
        "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
        "what is not named stays"
    );
    assert_eq!(
        changed.body["domains"],
        json!([{ "domain": "one.test" }, { "domain": "three.test" }])
    );
    let same = app.put(&path, &token, json!({})).await.ok();
    assert_eq!(
        same.body, changed.body,
        "nothing changes, not even the time"
    );
    let newer = IdentityProvider::new().metadata(ENTITY, "cacheDuration=\"PT1H\"");
    let body = json!({ "metadata_xml": newer, "name_id_format": "" });
    let changed = app.put(&path, &token, body).await.ok();
    assert_eq!(changed.body["saml"]["metadata_xml"], newer);
    assert!(changed.body["saml"].get("name_id_format").is_none());
    let gone = app.delete(&path, &token, None).await.ok();
    assert_eq!(gone.body["id"], id);
    app.get(&path, &token)
        .await
        .refused(404, "sso_provider_not_found");
    assert_eq!(app.count("select count(*) from auth.sso_domains").await, 0);
}

#[tokio::test]
async fn lists_leave_the_metadata_out_and_can_be_narrowed() {
    let app = TestApp::start(&[]).await;
    let token = service_token();
    assert_eq!(
        app.get(PATH, &token).await.ok().body,
        json!({ "items": [] })
    );
    for (entity, resource) in [("https://a.test", "team_1"), ("https://b.test", "teamX2")] {
        let body =
            json!({ "type": "saml", "metadata_xml": metadata(entity), "resource_id": resource });
        create(&app, body).await.ok();
    }
    let listed = |query: &'static str| {
        let (app, token) = (&app, &token);
        async move {
            let reply = app.get(&format!("{PATH}{query}"), token).await.ok();
            let items = reply.body["items"].as_array().unwrap().clone();
            assert!(
                items
                    .iter()
                    .all(|one| one["saml"].get("metadata_xml").is_none())
            );
            let entity = |one: &Value| one["saml"]["entity_id"].as_str().unwrap().to_owned();
            items.iter().map(entity).collect::<Vec<_>>()
        }
    };
    assert_eq!(listed("").await, ["https://a.test", "https://b.test"]);
    assert_eq!(listed("?resource_id=teamX2").await, ["https://b.test"]);
    assert_eq!(
        listed("?resource_id_prefix=team_").await,
        ["https://a.test"]
    );
    assert!(listed("?resource_id=team").await.is_empty());
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let app = TestApp::start(&[]).await;
    let two = metadata(ENTITY).replace(
        "</md:EntityDescriptor>",
        "<md:IDPSSODescriptor/></md:EntityDescriptor>",
    );
    let none =
        "<md:EntityDescriptor xmlns:md=\"urn:oasis:names:tc:SAML:2.0:metadata\" entityID=\"x\"/>";
    for (body, message) in [
        (json!({}), "Only 'saml' supported for SSO provider type"),
        (
            json!({ "type": "saml" }),
            "Either metadata_xml or metadata_url must be set",
        ),
        (
            json!({ "type": "saml", "metadata_url": "http://x.test" }),
            "metadata_url is not a HTTPS URL",
        ),
        (
            json!({ "type": "saml", "metadata_url": "nope" }),
            "metadata_url is not a valid URL",
        ),
        (
            json!({ "type": "saml", "metadata_url": "https://x.test", "metadata_xml": "y" }),
            "Only one of metadata_xml or metadata_url needs to be set",
        ),
        (
            json!({ "type": "saml", "metadata_xml": metadata("") }),
            "SAML Metadata does not contain an EntityID",
        ),
        (
            json!({ "type": "saml", "metadata_xml": none }),
            "SAML Metadata does not contain any IDPSSODescriptor",
        ),
        (
            json!({ "type": "saml", "metadata_xml": two }),
            "SAML Metadata contains multiple IDPSSODescriptors",
        ),
    ] {
        let reply = create(&app, body).await.refused(400, "validation_failed");
        assert_eq!(reply.text("msg"), message);
    }
    let body = json!({ "type": "saml", "metadata_xml": metadata(ENTITY), "name_id_format": "x" });
    let reply = create(&app, body).await.refused(400, "validation_failed");
    assert!(
        reply
            .text("msg")
            .starts_with("name_id_format must be unspecified or one of urn:")
    );
    for xml in ["<a", "<a/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"] {
        let body = json!({ "type": "saml", "metadata_xml": xml });
        create(&app, body).await.refused(500, "unexpected_failure");
    }
    let body = json!({ "type": "saml", "metadata_xml": metadata(ENTITY), "attribute_mapping": { "keys": { "a": { "name": 1 } } } });
    create(&app, body).await.refused(400, "bad_json");
    assert_eq!(
        app.count("select count(*) from auth.sso_providers").await,
        0
    );
}

#[tokio::test]
async fn a_domain_and_an_entity_belong_to_one_provider() {
    let app = TestApp::start(&[]).await;
    let token = service_token();
    let body = json!({ "type": "saml", "metadata_xml": metadata(ENTITY), "domains": ["one.test"], "resource_id": "r1" });
    let first = create(&app, body).await.ok().text("id");
    let body = json!({ "type": "saml", "metadata_xml": metadata(ENTITY) });
    let reply = create(&app, body)
        .await
        .refused(422, "saml_idp_already_exists");
    assert_eq!(
        reply.text("msg"),
        format!("SAML Identity Provider with this EntityID ({ENTITY}) already exists")
    );
    let body = json!({ "type": "saml", "metadata_xml": metadata("https://b.test"), "domains": ["One.test"] });
    let reply = create(&app, body)
        .await
        .refused(400, "sso_domain_already_exists");
    assert_eq!(
        reply.text("msg"),
        format!("SSO Domain 'One.test' is already assigned to an SSO identity provider ({first})")
    );
    let body =
        json!({ "type": "saml", "metadata_xml": metadata("https://b.test"), "resource_id": "R1" });
    create(&app, body).await.refused(500, "unexpected_failure");
    let body = json!({ "type": "saml", "metadata_xml": metadata("https://b.test") });
    let second = create(&app, body).await.ok().text("id");
    let path = format!("{PATH}/{second}");
    let body = json!({ "domains": ["one.test"] });
    let reply = app
        .put(&path, &token, body)
        .await
        .refused(400, "sso_domain_already_exists");
    assert_eq!(
        reply.text("msg"),
        format!("SSO domain 'one.test' already assigned to another provider ({first})")
    );
    let body = json!({ "metadata_xml": metadata(ENTITY) });
    app.put(&path, &token, body)
        .await
        .refused(400, "saml_entity_id_mismatch");
    let body = json!({ "resource_id": "r1" });
    app.put(&path, &token, body).await.refused(422, "conflict");
}

#[tokio::test]
async fn only_administrators_see_providers() {
    let mut app = TestApp::start(&[]).await;
    app.get(PATH, "").await.refused(401, "no_authorization");
    let user = app.member("ada@example.com", "correct horse").await;
    let token = user.text("access_token");
    app.get(PATH, &token).await.refused(403, "not_admin");
    app.post_as(PATH, &token, json!({}))
        .await
        .refused(403, "not_admin");
    let service = service_token();
    for id in ["x", "resource_x", "00000000-0000-0000-0000-000000000001"] {
        let path = format!("{PATH}/{id}");
        app.put(&path, &service, json!([1]))
            .await
            .refused(404, "sso_provider_not_found");
    }
}
