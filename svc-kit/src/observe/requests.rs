//! Requests by method, route and status.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use http::{Method, StatusCode};

use super::{
    series::{BOUNDS_US, Gauges, Series},
    text::{Kind, Text},
};

/// OpenTelemetry's list; it asks for one name for all others, because a client can make them up.
const METHODS: [&str; 10] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "_OTHER",
];
/// How many routes a service may have.
const MAX_ROUTES: u32 = 256;
/// Of requests that no route is for.
const OTHER: &str = "other";
/// Of requests whose client went away before there was an answer, as web servers write it in their logs.
pub(super) const GONE: u16 = 499;
const STATUS_BITS: u32 = 10;
const METHOD_BITS: u32 = 4;

const DURATION: &str = "http_server_request_duration_seconds";
const ACTIVE: &str = "http_server_active_requests";

/// What a service counts of its requests. Cheap to clone; clones count together.
#[derive(Clone, Debug)]
pub struct Requests(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    routes: Box<[OnceLock<Box<str>>]>,
    series: Series,
    active: Gauges<{ METHODS.len() }>,
}

/// A route's template, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route(u32);

impl Route {
    /// No route is for the request.
    pub const OTHER: Self = Self(MAX_ROUTES);
}

/// One series of durations, for a service that shows them under a name of its own as well.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The request's method, or `_OTHER`.
    pub method: &'static str,
    /// The template of its route.
    pub route: String,
    /// The answer's status; 499 if the client went away before it.
    pub status: String,
    /// Upper bounds and how many were not slower, in rising order; without the last, which has no bound.
    pub within: Vec<(Duration, u64)>,
    /// How many there were.
    pub count: u64,
    /// How long they took together.
    pub total: Duration,
}

impl Default for Requests {
    fn default() -> Self {
        Self::new()
    }
}

fn method_index(method: &Method) -> u32 {
    match *method {
        Method::GET => 0,
        Method::HEAD => 1,
        Method::POST => 2,
        Method::PUT => 3,
        Method::PATCH => 4,
        Method::DELETE => 5,
        Method::OPTIONS => 6,
        Method::CONNECT => 7,
        Method::TRACE => 8,
        _ => 9,
    }
}

impl Requests {
    /// Nothing is counted yet.
    pub fn new() -> Self {
        Self(Arc::new(Inner {
            routes: (0..MAX_ROUTES).map(|_| OnceLock::new()).collect(),
            series: Series::new(),
            active: Gauges::new(),
        }))
    }

    /// The number of a template, which is remembered when it is new. Templates must come from the service and not from
    /// requests: they are kept, and beyond 256 of them all are [`Route::OTHER`].
    pub fn route(&self, template: &str) -> Route {
        // FNV-1a: templates are short, and nobody outside chooses them.
        let hash = template.bytes().fold(0x811C_9DC5_u32, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        for probe in 0..MAX_ROUTES {
            let index = hash.wrapping_add(probe) % MAX_ROUTES;
            let known = self.0.routes[index as usize].get_or_init(|| template.into());
            if **known == *template {
                return Route(index);
            }
        }
        Route::OTHER
    }

    /// A request came. It is in flight until what this gives is dropped.
    pub fn begin(&self, method: &Method) -> Pending {
        let method = method_index(method);
        self.0.active.add(method as usize, 1);
        Pending {
            requests: self.clone(),
            method,
            route: Route::OTHER,
            began: Instant::now(),
            answer: None,
        }
    }

    /// Durations and requests in flight.
    pub fn render(&self, text: &mut Text) {
        text.family(
            DURATION,
            Kind::Histogram,
            "Time from a request to the head of its answer.",
        );
        let bucket = format!("{DURATION}_bucket");
        let (sum, count) = (format!("{DURATION}_sum"), format!("{DURATION}_count"));
        for one in self.counted() {
            let labels = [
                ("http_request_method", one.method),
                ("http_route", one.route.as_str()),
                ("http_response_status_code", one.status.as_str()),
            ];
            let [method, route, status] = labels;
            for (bound, within) in &one.within {
                let bound = bound.as_secs_f64().to_string();
                text.sample(&bucket, &[method, route, status, ("le", &bound)], within);
            }
            text.sample(&bucket, &[method, route, status, ("le", "+Inf")], one.count);
            text.sample(&sum, &labels, one.total.as_secs_f64());
            text.sample(&count, &labels, one.count);
        }
        text.family(ACTIVE, Kind::Gauge, "Requests without an answer.");
        for (index, method) in METHODS.iter().enumerate() {
            let value = self.0.active.total(index);
            text.sample(ACTIVE, &[("http_request_method", method)], value);
        }
    }

    /// Everything that was counted.
    pub fn counted(&self) -> Vec<Counted> {
        let series = self.0.series.totals().into_iter();
        series
            .map(|(key, totals)| {
                let (method, route, status) = self.labels(key);
                let mut so_far = 0;
                let within = BOUNDS_US.iter().zip(totals.within).map(|(bound, count)| {
                    so_far += count;
                    (Duration::from_micros(*bound), so_far)
                });
                Counted {
                    method,
                    route,
                    status,
                    within: within.collect(),
                    count: totals.count(),
                    total: Duration::from_micros(totals.micros),
                }
            })
            .collect()
    }

    fn labels(&self, key: u32) -> (&'static str, String, String) {
        if key == Series::OVERFLOW {
            return (METHODS[METHODS.len() - 1], OTHER.into(), OTHER.into());
        }
        let status = key & ((1 << STATUS_BITS) - 1);
        let method = (key >> STATUS_BITS) & ((1 << METHOD_BITS) - 1);
        let route = (key >> (STATUS_BITS + METHOD_BITS)) as usize;
        let route = self.0.routes.get(route).and_then(OnceLock::get);
        let method = METHODS.get(method as usize).copied();
        (
            method.unwrap_or(METHODS[METHODS.len() - 1]),
            route.map_or_else(|| OTHER.to_owned(), ToString::to_string),
            status.to_string(),
        )
    }
}

/// A request in flight. Dropped without [`Pending::answered`], its client went away.
#[derive(Debug)]
#[must_use = "a request that is dropped at once counts as one whose client went away"]
pub struct Pending {
    requests: Requests,
    method: u32,
    route: Route,
    began: Instant,
    answer: Option<(StatusCode, Duration)>,
}

impl Pending {
    /// Says which route the request has.
    pub fn set_route(&mut self, route: Route) {
        self.route = route;
    }

    /// The head of the answer is there. Gives the time it took.
    pub fn answered(mut self, status: StatusCode) -> Duration {
        let took = self.took();
        self.answer = Some((status, took));
        took
    }

    /// How long it has taken so far.
    pub fn took(&self) -> Duration {
        self.began.elapsed()
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let inner = &*self.requests.0;
        inner.active.add(self.method as usize, -1);
        let (status, took) = match self.answer {
            Some((status, took)) => (status.as_u16(), took),
            None => (GONE, self.took()),
        };
        let key = (self.route.0 << (STATUS_BITS + METHOD_BITS))
            | (self.method << STATUS_BITS)
            | u32::from(status);
        inner.series.add(key, took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(requests: &Requests, part: &str) -> Vec<String> {
        let mut text = Text::default();
        requests.render(&mut text);
        let text = text.into_string();
        let wanted = text.lines().filter(|line| line.contains(part));
        wanted.map(str::to_owned).collect()
    }

    #[test]
    fn requests_are_counted_by_method_route_and_status() {
        let requests = Requests::new();
        for (method, route, status) in [
            (Method::GET, "/user/{id}", 200),
            (Method::GET, "/user/{id}", 200),
            (Method::GET, "/user/{id}", 404),
            (Method::from_bytes(b"BREW").unwrap(), "/pot", 418),
        ] {
            let mut pending = requests.begin(&method);
            pending.set_route(requests.route(route));
            pending.answered(StatusCode::from_u16(status).unwrap());
        }
        drop(requests.begin(&Method::POST));
        let mut counts = lines(&requests, "_count{");
        counts.sort_unstable();
        let expected = [
            r#"http_server_request_duration_seconds_count{http_request_method="GET",http_route="/user/{id}",http_response_status_code="200"} 2"#,
            r#"http_server_request_duration_seconds_count{http_request_method="GET",http_route="/user/{id}",http_response_status_code="404"} 1"#,
            r#"http_server_request_duration_seconds_count{http_request_method="POST",http_route="other",http_response_status_code="499"} 1"#,
            r#"http_server_request_duration_seconds_count{http_request_method="_OTHER",http_route="/pot",http_response_status_code="418"} 1"#,
        ];
        assert_eq!(counts, expected);
        let infinite = lines(&requests, r#"status_code="200",le="+Inf"} 2"#);
        assert_eq!(infinite.len(), 1);
    }

    #[test]
    fn a_request_is_in_flight_until_it_is_answered() {
        let requests = Requests::new();
        let active = r#"http_server_active_requests{http_request_method="PUT"}"#;
        let pending = requests.begin(&Method::PUT);
        assert_eq!(lines(&requests, active), [format!("{active} 1")]);
        pending.answered(StatusCode::OK);
        assert_eq!(lines(&requests, active), [format!("{active} 0")]);
    }

    #[test]
    fn templates_keep_their_number_and_too_many_become_one() {
        let requests = Requests::new();
        let of = |number: u32| requests.route(&format!("/{number}/{{id}}"));
        let first: Vec<_> = (0..MAX_ROUTES).map(of).collect();
        assert!(!first.contains(&Route::OTHER));
        assert_eq!((0..MAX_ROUTES).map(of).collect::<Vec<_>>(), first);
        assert_eq!(of(MAX_ROUTES), Route::OTHER);
    }
}
