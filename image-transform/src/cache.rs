//! Transformed images, kept while there is room.

use std::sync::Arc;

use quick_cache::{Weighter, sync};

use super::{Output, Transform};

/// What an output depends on. An object's version changes with its content, so nothing is ever stale.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    version: String,
    transform: String,
}

impl Key {
    /// The key of a version of an object under a transformation.
    pub fn new(version: &str, transform: &Transform, accepts_webp: bool) -> Self {
        let origin = transform.format == super::Format::Origin;
        Self {
            version: version.to_owned(),
            transform: format!("{},{origin},{accepts_webp}", transform.header()),
        }
    }
}

#[derive(Debug, Clone)]
struct BySize;

impl Weighter<Key, Arc<Output>> for BySize {
    fn weight(&self, key: &Key, output: &Arc<Output>) -> u64 {
        (key.version.len() + key.transform.len() + output.bytes.len()) as u64 + 128
    }
}

/// A cache bounded in bytes.
#[derive(Debug)]
pub struct Cache(Option<sync::Cache<Key, Arc<Output>, BySize>>);

impl Cache {
    /// Holds up to `bytes`; with 0 it holds nothing.
    pub fn new(bytes: u64) -> Self {
        // Thumbnails are some twenty kilobytes.
        let items = usize::try_from(bytes / 20_000)
            .unwrap_or(usize::MAX)
            .max(16);
        Self((bytes > 0).then(|| sync::Cache::with_weighter(items, bytes, BySize)))
    }

    /// Answers from the cache, or makes the output; of requests for the same one, one makes it and the
    /// others wait for it. Errors are not kept.
    pub async fn get_or_make<E>(
        &self,
        key: &Key,
        make: impl Future<Output = Result<Output, E>>,
    ) -> Result<Arc<Output>, E> {
        match &self.0 {
            None => make.await.map(Arc::new),
            Some(cache) => {
                let make = async { make.await.map(Arc::new) };
                cache.get_or_insert_async(key, make).await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::ImageError;

    fn output(length: usize) -> Output {
        Output {
            bytes: vec![7; length],
            content_type: "image/png",
        }
    }

    #[tokio::test]
    async fn makes_once_per_version_and_parameters() {
        let cache = Cache::new(1 << 20);
        let made = AtomicUsize::new(0);
        let make = || async {
            made.fetch_add(1, Ordering::Relaxed);
            Ok::<_, ImageError>(output(10))
        };
        let small = Transform {
            width: Some(5),
            ..Transform::default()
        };
        let whole = Transform::default();
        for key in [
            Key::new("v1", &small, false),
            Key::new("v1", &small, false),
            Key::new("v1", &small, true),
            Key::new("v2", &small, false),
            Key::new("v1", &whole, false),
        ] {
            cache.get_or_make(&key, make()).await.unwrap();
        }
        assert_eq!(made.load(Ordering::Relaxed), 4);
    }

    #[tokio::test]
    async fn errors_are_made_again() {
        let cache = Cache::new(1 << 20);
        let key = Key::new("v", &Transform::default(), false);
        let failed = cache.get_or_make(&key, async { Err(ImageError::Busy) });
        assert_eq!(failed.await, Err(ImageError::Busy));
        let made = cache
            .get_or_make(&key, async { Ok::<_, ImageError>(output(1)) })
            .await;
        assert_eq!(made.unwrap().bytes, [7]);
    }

    #[tokio::test]
    async fn stays_within_its_bytes() {
        let cache = Cache::new(100_000);
        for version in 0..50 {
            let key = Key::new(&version.to_string(), &Transform::default(), false);
            cache
                .get_or_make(&key, async { Ok::<_, ImageError>(output(9_000)) })
                .await
                .unwrap();
        }
        assert!(cache.0.as_ref().unwrap().weight() <= 100_000);
        let huge = Key::new("huge", &Transform::default(), false);
        let made = cache
            .get_or_make(&huge, async { Ok::<_, ImageError>(output(200_000)) })
            .await;
        assert_eq!(made.unwrap().bytes.len(), 200_000);
        assert!(cache.0.as_ref().unwrap().weight() <= 100_000);
    }
}
