//! Limits, cache and pool behind one call: what a render route needs.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use super::{Cache, ImageError, Key, Limits, Output, Pool, Transform, transform};

/// Renders versions of objects.
#[derive(Debug)]
pub struct Renderer {
    pool: Pool,
    cache: Cache,
    limits: Limits,
    timeout: Duration,
}

impl Renderer {
    /// A renderer that gives up on a request after `timeout`, waiting included.
    pub fn new(pool: Pool, cache: Cache, limits: Limits, timeout: Duration) -> Self {
        Self {
            pool,
            cache,
            limits,
            timeout,
        }
    }

    /// Answers a version of an object as `wanted`, for a client with this `Accept` header. The source is
    /// fetched only if the cache has no answer and the queue has room.
    pub async fn render<E: From<ImageError>>(
        &self,
        version: &str,
        wanted: &Transform,
        accept: Option<&str>,
        source: impl Future<Output = Result<Bytes, E>>,
    ) -> Result<Arc<Output>, E> {
        let accepts_webp = wanted.accepts_webp(accept);
        let key = Key::new(version, wanted, accepts_webp);
        let limits = self.limits;
        let wanted = *wanted;
        let make = async {
            let turn = self.pool.enter()?.turn().await?;
            let source = source.await?;
            let work = move || transform(&source, &wanted, accepts_webp, &limits);
            Ok(turn.run(work).await?)
        };
        tokio::time::timeout(self.timeout, self.cache.get_or_make(&key, make))
            .await
            .unwrap_or_else(|_| Err(ImageError::TimedOut.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    fn renderer(pool: Pool, timeout: Duration) -> Renderer {
        Renderer::new(pool, Cache::new(1 << 20), Limits::default(), timeout)
    }

    const AMPLE: Duration = Duration::from_secs(60);

    fn source() -> impl Future<Output = Result<Bytes, ImageError>> {
        let image = image::DynamicImage::new_rgb8(8, 8);
        let mut bytes = std::io::Cursor::new(Vec::new());
        image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        std::future::ready(Ok(bytes.into_inner().into()))
    }

    #[tokio::test]
    async fn a_second_request_does_not_touch_the_source() {
        let renderer = renderer(Pool::new(1, 1).unwrap(), AMPLE);
        let wanted = Transform::default();
        let first = renderer.render("v", &wanted, None, source()).await;
        let fetched_again = std::future::ready(Err(ImageError::Internal));
        let second = renderer.render("v", &wanted, None, fetched_again);
        assert_eq!(first.unwrap(), second.await.unwrap());
        let webp = renderer.render("v", &wanted, Some("image/webp"), source());
        assert_eq!(webp.await.unwrap().content_type, "image/webp");
        let origin = Transform {
            format: Format::Origin,
            ..wanted
        };
        let png = renderer.render("v", &origin, Some("image/webp"), source());
        assert_eq!(png.await.unwrap().content_type, "image/png");
    }

    #[tokio::test]
    async fn a_source_that_never_comes_times_out_and_leaves_its_place() {
        let pool = Pool::new(1, 0).unwrap();
        let hasty = renderer(pool.clone(), Duration::from_millis(1));
        let never = std::future::pending::<Result<Bytes, ImageError>>();
        let wanted = Transform::default();
        let late = hasty.render("v", &wanted, None, never).await;
        assert_eq!(late, Err(ImageError::TimedOut));
        let patient = renderer(pool, AMPLE);
        assert!(patient.render("v", &wanted, None, source()).await.is_ok());
    }

    #[tokio::test]
    async fn errors_of_the_source_pass_through() {
        let renderer = renderer(Pool::new(1, 0).unwrap(), AMPLE);
        let wanted = Transform::default();
        let broken = renderer.render("v", &wanted, None, async { Err(ImageError::Internal) });
        assert_eq!(broken.await, Err(ImageError::Internal));
        let text = async { Ok::<_, ImageError>(Bytes::from_static(b"hello")) };
        let text = renderer.render("v", &wanted, None, text).await;
        assert_eq!(text, Err(ImageError::Unsupported));
    }
}
