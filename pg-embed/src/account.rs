//! Under which account the server runs, since Postgres refuses to run as root.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
};

use nix::unistd::{Gid, Uid, User, chown, geteuid};

use crate::Error;

/// An account other than root.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) uid: Uid,
    pub(crate) gid: Gid,
}

impl Account {
    /// The account to switch to: `None` unless this process is root.
    ///
    /// Data that exists stays with its owner; new data goes to `postgres`, else to `nobody`.
    pub(crate) fn to_switch_to(data_dir: &Path) -> Result<Option<Self>, Error> {
        if !geteuid().is_root() {
            return Ok(None);
        }
        let owner = fs::metadata(data_dir.join("PG_VERSION"))
            .ok()
            .and_then(|meta| User::from_uid(Uid::from_raw(meta.uid())).ok().flatten())
            .filter(|user| !user.uid.is_root());
        let user = owner
            .or_else(|| User::from_name("postgres").ok().flatten())
            .or_else(|| User::from_name("nobody").ok().flatten())
            .ok_or(Error::NoAccount)?;
        Ok(Some(Self {
            name: user.name,
            uid: user.uid,
            gid: user.gid,
        }))
    }

    /// Fails if the account cannot enter a folder or one above it.
    pub(crate) fn check_reach(&self, path: &Path) -> Result<(), Error> {
        for folder in path
            .ancestors()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            let Ok(meta) = fs::metadata(folder) else {
                continue;
            };
            let needed = if meta.uid() == self.uid.as_raw() {
                0o100
            } else if meta.gid() == self.gid.as_raw() {
                0o010
            } else {
                0o001
            };
            if meta.is_dir() && meta.permissions().mode() & needed == 0 {
                return Err(Error::Unreachable {
                    user: self.name.clone(),
                    path: folder.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Makes the account the owner of one file or folder.
    pub(crate) fn own(&self, path: &Path) -> Result<(), Error> {
        chown(path, Some(self.uid), Some(self.gid)).map_err(|errno| Error::Io {
            path: path.to_owned(),
            source: errno.into(),
        })
    }
}
