//! The layer around a service's routes.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use axum::extract::MatchedPath;
use http::{Request, Response};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::{
    line::Line,
    requests::{Pending, Requests, Route},
};

/// Counts every request and writes its line. To be mounted once, with [`axum::Router::layer`], after all other layers.
#[derive(Clone, Debug)]
pub struct ObserveLayer {
    requests: Requests,
    template: Template,
    routine: &'static [&'static str],
}

/// Where a request's template comes from.
#[derive(Clone, Copy, Debug)]
enum Template {
    Router,
    Path(fn(&str) -> &'static str),
}

impl ObserveLayer {
    /// Of routes that axum's router chooses. Their templates are its own.
    pub fn new(requests: Requests) -> Self {
        Self {
            requests,
            template: Template::Router,
            routine: &[],
        }
    }

    /// Of routes that are chosen some other way: gives the template of a path.
    pub fn by_path(requests: Requests, template: fn(&str) -> &'static str) -> Self {
        Self {
            template: Template::Path(template),
            ..Self::new(requests)
        }
    }

    /// Templates that machines ask for all the time, for health and metrics: their lines are for debugging.
    #[must_use]
    pub fn routine(self, templates: &'static [&'static str]) -> Self {
        Self {
            routine: templates,
            ..self
        }
    }

    /// The route of a request, and whether it is one of the routine ones.
    fn route<B>(&self, request: &Request<B>) -> (Route, bool) {
        let template = match self.template {
            Template::Router => request.extensions().get().map(MatchedPath::as_str),
            Template::Path(template) => Some(template(request.uri().path())),
        };
        let Some(template) = template else {
            return (Route::OTHER, false);
        };
        (
            self.requests.route(template),
            self.routine.contains(&template),
        )
    }
}

impl<S> Layer<S> for ObserveLayer {
    type Service = Observe<S>;

    fn layer(&self, inner: S) -> Observe<S> {
        Observe {
            inner,
            layer: self.clone(),
        }
    }
}

/// What [`ObserveLayer`] makes of a service.
#[derive(Clone, Debug)]
pub struct Observe<S> {
    inner: S,
    layer: ObserveLayer,
}

impl<S, B, C> Service<Request<B>> for Observe<S>
where
    S: Service<Request<B>, Response = Response<C>>,
{
    type Response = Response<C>;
    type Error = S::Error;
    type Future = ObserveFuture<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (route, is_routine) = self.layer.route(&request);
        let mut pending = self.layer.requests.begin(request.method());
        pending.set_route(route);
        let watch = Watch {
            line: Line::of(&request, is_routine),
            pending: Some(pending),
        };
        ObserveFuture {
            inner: self.inner.call(request),
            watch,
        }
    }
}

/// A request that is watched until it has an answer or is dropped.
#[derive(Debug)]
struct Watch {
    line: Option<Line>,
    pending: Option<Pending>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let (Some(line), Some(pending)) = (&self.line, &self.pending) {
            line.write(None, pending.took());
        }
    }
}

pin_project! {
    /// The answer of [`Observe`].
    #[derive(Debug)]
    pub struct ObserveFuture<F> {
        #[pin]
        inner: F,
        watch: Watch,
    }
}

impl<F, C, E> Future for ObserveFuture<F>
where
    F: Future<Output = Result<Response<C>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = ready!(this.inner.poll(context));
        if let Ok(response) = &answer
            && let Some(pending) = this.watch.pending.take()
        {
            let took = pending.answered(response.status());
            if let Some(line) = this.watch.line.take() {
                line.write(Some((response.status(), response.headers())), took);
            }
        }
        Poll::Ready(answer)
    }
}

#[cfg(test)]
mod tests;
