use std::path::PathBuf;

use secrecy::SecretString;
use svc_kit::env::Reader;

/// Where blobs are kept.
#[derive(Clone, Debug)]
pub enum Backend {
    /// `STORAGE_BACKEND=file`: files below `STORAGE_FILE_BACKEND_PATH` (`FILE_STORAGE_BACKEND_PATH`).
    File {
        /// The folder.
        path: PathBuf,
        /// `STORAGE_FILE_SYNC`, default true: whether a blob is on the disk before its row is.
        sync: bool,
    },
    /// `STORAGE_BACKEND=s3`: a bucket of S3 or of a server that speaks its protocol.
    S3 {
        /// `STORAGE_S3_ENDPOINT` (`GLOBAL_S3_ENDPOINT`): none for AWS itself.
        endpoint: Option<String>,
        /// `STORAGE_S3_REGION` (`REGION`), default `us-east-1`.
        region: String,
        /// `STORAGE_S3_FORCE_PATH_STYLE` (`GLOBAL_S3_FORCE_PATH_STYLE`)
        path_style: bool,
        /// `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`; without them the machine's own identity is used.
        credentials: Option<(String, SecretString)>,
    },
    /// `STORAGE_BACKEND=gcs`: a bucket of Google Cloud Storage; credentials as its own tools find them, or
    /// `GOOGLE_SERVICE_ACCOUNT` for a key file, whose `gcs_base_url` and `disable_oauth` lead to an emulator.
    Gcs {
        /// `GOOGLE_SERVICE_ACCOUNT`
        service_account: Option<String>,
    },
    /// `STORAGE_BACKEND=azure`: a container of Azure Blob Storage.
    Azure {
        /// `AZURE_STORAGE_ACCOUNT_NAME`
        account: String,
        /// `AZURE_STORAGE_ACCOUNT_KEY`
        key: Option<SecretString>,
        /// `AZURE_STORAGE_ENDPOINT`: none for Azure itself. An emulator's has the account in its path.
        endpoint: Option<String>,
    },
}

impl Backend {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        match reader.text_or(&["STORAGE_BACKEND"], "file").as_str() {
            "file" => Self::File {
                path: reader
                    .required(&["STORAGE_FILE_BACKEND_PATH", "FILE_STORAGE_BACKEND_PATH"])
                    .into(),
                sync: reader.flag(&["STORAGE_FILE_SYNC"], true),
            },
            "s3" => {
                let id = reader.text(&["AWS_ACCESS_KEY_ID"]);
                let secret = reader.text(&["AWS_SECRET_ACCESS_KEY"]);
                reader.required(&["STORAGE_S3_BUCKET", "GLOBAL_S3_BUCKET"]);
                Self::S3 {
                    endpoint: reader
                        .text(&["STORAGE_S3_ENDPOINT", "GLOBAL_S3_ENDPOINT"])
                        .map(str::to_owned),
                    region: reader.text_or(&["STORAGE_S3_REGION", "REGION"], "us-east-1"),
                    path_style: reader.flag(
                        &["STORAGE_S3_FORCE_PATH_STYLE", "GLOBAL_S3_FORCE_PATH_STYLE"],
                        false,
                    ),
                    credentials: id
                        .zip(secret)
                        .map(|(id, secret)| (id.to_owned(), secret.into())),
                }
            }
            "gcs" => {
                reader.required(&["STORAGE_S3_BUCKET", "GLOBAL_S3_BUCKET"]);
                Self::Gcs {
                    service_account: reader.text(&["GOOGLE_SERVICE_ACCOUNT"]).map(str::to_owned),
                }
            }
            "azure" => {
                reader.required(&["STORAGE_S3_BUCKET", "GLOBAL_S3_BUCKET"]);
                Self::Azure {
                    account: reader.required(&["AZURE_STORAGE_ACCOUNT_NAME"]),
                    key: reader
                        .text(&["AZURE_STORAGE_ACCOUNT_KEY"])
                        .map(SecretString::from),
                    endpoint: reader.text(&["AZURE_STORAGE_ENDPOINT"]).map(str::to_owned),
                }
            }
            _ => {
                reader.problem("STORAGE_BACKEND is none of file, s3, gcs and azure");
                Self::File {
                    path: PathBuf::new(),
                    sync: true,
                }
            }
        }
    }
}
