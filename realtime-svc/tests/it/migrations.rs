use realtime_svc::{Config, migrate};
use svc_kit::{
    env::Vars,
    testing::{Template, TestDb},
};

#[tokio::test]
async fn starting_twice_on_the_same_database_is_fine() {
    let db = TestDb::new(&Template::new("realtime")).await;
    let vars: Vars = [
        ("API_JWT_SECRET", super::SECRET.to_owned()),
        ("DATABASE_URL", db.url_as("supabase_admin")),
    ]
    .into_iter()
    .collect();
    let config = Config::from_vars(&vars).unwrap();
    migrate(&config).await.unwrap();
    migrate(&config).await.unwrap();
}
