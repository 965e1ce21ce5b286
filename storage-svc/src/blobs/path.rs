use std::fmt;

/// Where a blob is, below the root of the store: parts between slashes, as the original lays them out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BlobPath(String);

impl BlobPath {
    /// A path that was listed by a store.
    pub(super) fn listed(path: String) -> Self {
        Self(path)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BlobPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Makes paths for one tenant.
#[derive(Clone, Debug)]
pub(crate) struct Locator {
    tenant: String,
}

impl Locator {
    pub(crate) fn new(tenant: &str) -> Self {
        Self {
            tenant: tenant.to_owned(),
        }
    }

    /// `<tenant>/<bucket>/<key>/<version>`: the key is a folder and the version the file, so that `a` and `a/b` can
    /// both be. Rows of old releases have no version; their blob is the key itself.
    pub(crate) fn object(&self, bucket: &str, key: &str, version: Option<&str>) -> BlobPath {
        let tenant = &self.tenant;
        BlobPath(match version {
            Some(version) => format!("{tenant}/{bucket}/{key}/{version}"),
            None => format!("{tenant}/{bucket}/{key}"),
        })
    }

    /// What all objects begin with.
    pub(crate) fn objects(&self) -> String {
        format!("{}/", self.tenant)
    }

    /// A piece of an upload that is not complete: `__uploads/<tenant>/<upload>/<name>`. Ids are the service's own.
    pub(crate) fn piece(&self, upload: &str, name: &str) -> BlobPath {
        BlobPath(format!("{}{name}", self.pieces(upload)))
    }

    /// What all pieces of an upload begin with.
    pub(crate) fn pieces(&self, upload: &str) -> String {
        format!("{}{upload}/", self.uploads())
    }

    /// What the pieces of all uploads begin with. No tenant's objects do.
    pub(crate) fn uploads(&self) -> String {
        format!("__uploads/{}/", self.tenant)
    }

    /// Bucket, key and version of an object's blob.
    pub(crate) fn parse<'a>(&self, path: &'a BlobPath) -> Option<(&'a str, &'a str, &'a str)> {
        let rest = path.0.strip_prefix(&self.tenant)?.strip_prefix('/')?;
        let (bucket, rest) = rest.split_once('/')?;
        let (key, version) = rest.rsplit_once('/')?;
        Some((bucket, key, version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_can_be_taken_apart() {
        let locator = Locator::new("t");
        let path = locator.object("b", "a/b c", Some("v"));
        assert_eq!(path.as_str(), "t/b/a/b c/v");
        assert_eq!(locator.parse(&path), Some(("b", "a/b c", "v")));
        assert_eq!(locator.object("b", "k", None).as_str(), "t/b/k");
        assert_eq!(locator.parse(&locator.piece("u", "p")), None);
    }
}
