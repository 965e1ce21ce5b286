//! The form of PostgREST's log lines.

use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

/// `23/Nov/2026:00:28:13 +0000: Schema cache queried in 5.1 milliseconds`: the time, then what is said.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let now = chrono::Local::now();
        write!(writer, "{}: ", now.format("%d/%b/%Y:%H:%M:%S %z"))?;
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}
