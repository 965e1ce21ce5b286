//! An S3 server over a folder, s3s, for a topology that has no other.
//!
//! `s3_store FOLDER ADDRESS` with the credentials in `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. The folders in
//! FOLDER are its buckets. It prints `ready` when it listens.

use std::env;

use anyhow::{Context, anyhow};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use s3s_fs::FileSystem;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().context("which folder?")?;
    let address = arguments.next().context("which address?")?;
    let files = FileSystem::new(folder).map_err(|error| anyhow!("{error:?}"))?;
    let mut builder = S3ServiceBuilder::new(files);
    builder.set_auth(SimpleAuth::from_single(
        env::var("AWS_ACCESS_KEY_ID")?,
        env::var("AWS_SECRET_ACCESS_KEY")?,
    ));
    let service = builder.build();
    let listener = TcpListener::bind(address).await?;
    println!("ready");
    loop {
        let (socket, _) = listener.accept().await?;
        let service = service.clone();
        tokio::spawn(async move {
            let server = Builder::new(TokioExecutor::new());
            // A client that goes away in the middle is its own business.
            let _ = server.serve_connection(TokioIo::new(socket), service).await;
        });
    }
}
