//! Counts that many threads add to at once: no locks, and each core has memory of its own to write to.

use std::{
    sync::{
        LazyLock, OnceLock,
        atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Upper ends of the classes of durations, in microseconds. Those from 5 ms on are OpenTelemetry's for requests; the
/// ones below tell small answers of a database apart.
pub(super) const BOUNDS_US: [u64; 17] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 75_000, 100_000, 250_000, 500_000, 750_000,
    1_000_000, 2_500_000, 5_000_000, 7_500_000, 10_000_000,
];
/// How many series there may be; a request of yet another one is counted in [`Series::overflow`].
const SLOTS: usize = 1024;
/// How many places are looked at for a series.
const PROBES: usize = 64;
const MAX_SHARDS: usize = 16;

/// How many copies of each count there are.
static SHARDS: LazyLock<usize> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.next_power_of_two().min(MAX_SHARDS)
});

thread_local! {
    /// Which copy this thread writes to.
    static SHARD: usize = {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        THREADS.fetch_add(1, Ordering::Relaxed) % *SHARDS
    };
}

/// Apart from its neighbours, because two cores that write to one cache line wait for each other.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Cell {
    within: [AtomicU64; BOUNDS_US.len() + 1],
    micros: AtomicU64,
}

#[derive(Debug)]
struct OneSeries {
    key: u32,
    cells: Box<[Cell]>,
}

impl OneSeries {
    fn new(key: u32) -> Self {
        let cells = (0..*SHARDS).map(|_| Cell::default()).collect();
        Self { key, cells }
    }

    fn add(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let class = BOUNDS_US.partition_point(|end| *end < micros);
        let cell = &self.cells[SHARD.with(|shard| *shard)];
        cell.within[class].fetch_add(1, Ordering::Relaxed);
        cell.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for cell in &self.cells {
            for (total, count) in totals.within.iter_mut().zip(&cell.within) {
                *total += count.load(Ordering::Relaxed);
            }
            totals.micros += cell.micros.load(Ordering::Relaxed);
        }
        totals
    }
}

/// The durations of one series.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    /// By class, the last one beyond all bounds.
    pub(super) within: [u64; BOUNDS_US.len() + 1],
    /// Their sum in microseconds.
    pub(super) micros: u64,
}

impl Totals {
    pub(super) fn count(&self) -> u64 {
        self.within.iter().sum()
    }
}

/// Durations by a number that stands for labels. Series come with their first duration and stay.
#[derive(Debug)]
pub(super) struct Series {
    slots: Box<[OnceLock<OneSeries>]>,
    overflow: OneSeries,
}

impl Series {
    /// Stands for whatever there was no place for.
    pub(super) const OVERFLOW: u32 = u32::MAX;

    pub(super) fn new() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| OnceLock::new()).collect(),
            overflow: OneSeries::new(Self::OVERFLOW),
        }
    }

    pub(super) fn add(&self, key: u32, took: Duration) {
        // Fibonacci hashing: neighbouring keys are spread out.
        let begin = (key.wrapping_mul(0x9E37_79B9) >> 16) as usize;
        for probe in 0..PROBES {
            let slot = &self.slots[(begin + probe) % SLOTS];
            let series = slot.get_or_init(|| OneSeries::new(key));
            if series.key == key {
                return series.add(took);
            }
        }
        self.overflow.add(took);
    }

    /// All series that have a duration, in the order of their keys.
    pub(super) fn totals(&self) -> Vec<(u32, Totals)> {
        let known = self.slots.iter().filter_map(OnceLock::get);
        let mut totals: Vec<_> = known
            .chain([&self.overflow])
            .map(|series| (series.key, series.totals()))
            .filter(|(_, totals)| totals.count() > 0)
            .collect();
        totals.sort_unstable_by_key(|(key, _)| *key);
        totals
    }
}

/// Numbers that go up and down, each by its index.
#[derive(Debug)]
pub(super) struct Gauges<const N: usize>(Box<[GaugeCell<N>]>);

#[derive(Debug)]
#[repr(align(128))]
struct GaugeCell<const N: usize>([AtomicI64; N]);

impl<const N: usize> Gauges<N> {
    pub(super) fn new() -> Self {
        let cell = |_| GaugeCell([const { AtomicI64::new(0) }; N]);
        Self((0..*SHARDS).map(cell).collect())
    }

    pub(super) fn add(&self, index: usize, change: i64) {
        let cell = &self.0[SHARD.with(|shard| *shard)];
        cell.0[index].fetch_add(change, Ordering::Relaxed);
    }

    /// The copies are read one after the other, so that a number may be off by what changes meanwhile.
    pub(super) fn total(&self, index: usize) -> u64 {
        let cells = self.0.iter();
        let total: i64 = cells
            .map(|cell| cell.0[index].load(Ordering::Relaxed))
            .sum();
        u64::try_from(total).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_when_many_threads_count() {
        let series = Series::new();
        let gauges = Gauges::<2>::new();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (series, gauges) = (&series, &gauges);
                scope.spawn(move || {
                    for round in 0..1000 {
                        series.add(round % 7, Duration::from_micros(500));
                        gauges.add(1, if thread % 2 == 0 { 1 } else { -1 });
                    }
                });
            }
        });
        let totals = series.totals();
        let keys: Vec<_> = totals.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, [0, 1, 2, 3, 4, 5, 6]);
        let counts = totals.iter().map(|(_, totals)| totals.count());
        assert_eq!(counts.sum::<u64>(), 8000);
        // A bound belongs to its class.
        let first = totals.iter().map(|(_, totals)| totals.within[0]);
        assert_eq!(first.sum::<u64>(), 8000);
        let micros = totals.iter().map(|(_, totals)| totals.micros);
        assert_eq!(micros.sum::<u64>(), 8000 * 500);
        assert_eq!((gauges.total(0), gauges.total(1)), (0, 0));
    }

    #[test]
    fn the_number_of_series_is_bounded_and_the_rest_is_counted_all_the_same() {
        let series = Series::new();
        for key in 0..10_000 {
            series.add(key, Duration::from_secs(60));
        }
        let totals = series.totals();
        assert!(totals.len() <= SLOTS + 1, "{}", totals.len());
        let (last, overflow) = totals.last().unwrap();
        assert_eq!(*last, Series::OVERFLOW);
        assert!(overflow.count() >= 10_000 - SLOTS as u64);
        assert_eq!(overflow.within[BOUNDS_US.len()], overflow.count());
        let counts = totals.iter().map(|(_, totals)| totals.count());
        assert_eq!(counts.sum::<u64>(), 10_000);
    }
}
