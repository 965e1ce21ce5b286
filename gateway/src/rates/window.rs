//! The requests of one address or key in the present window and the one before.

use std::time::Duration;

use super::Rate;

/// Counts; see the module above for how.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// How many windows have passed since 1970.
    index: u64,
    /// What other copies and this one had counted when they last told each other.
    told: u32,
    /// What this copy has counted since.
    untold: u32,
    former: u32,
}

impl Window {
    /// Counts one, or says how long there is no room.
    pub(super) fn count(&mut self, now: Duration, rate: Rate) -> Result<(), Duration> {
        let length = rate.window.as_nanos().max(1);
        let index = u64::try_from(now.as_nanos() / length).unwrap_or(u64::MAX);
        self.move_to(index);
        let passed = u64::try_from(now.as_nanos() % length).unwrap_or(u64::MAX);
        let passed = Duration::from_nanos(passed).div_duration_f64(rate.window);
        let present = self.told.saturating_add(self.untold);
        let room = f64::from(rate.requests) - f64::from(present) - 1.0;
        if room < 0.0 {
            return Err(rate.window.mul_f64(1.0 - passed));
        }
        if f64::from(self.former) * (1.0 - passed) > room {
            let enough = 1.0 - room / f64::from(self.former);
            return Err(rate.window.mul_f64((enough - passed).max(0.0)));
        }
        self.untold += 1;
        Ok(())
    }

    fn move_to(&mut self, index: u64) {
        if index != self.index {
            let present = self.told.saturating_add(self.untold);
            self.former = if index == self.index + 1 { present } else { 0 };
            (self.index, self.told, self.untold) = (index, 0, 0);
        }
    }

    pub(super) fn untold(&self) -> u32 {
        self.untold
    }

    pub(super) fn index(&self) -> u64 {
        self.index
    }

    /// Everybody together has counted this much in a window, `own` of which was this copy's news. Gives whether there
    /// is newer news of that window: what was counted while the others were told.
    #[must_use]
    pub(super) fn tell(&mut self, index: u64, own: u32, all: u32) -> bool {
        if index != self.index {
            return false;
        }
        self.told = all;
        self.untold = self.untold.saturating_sub(own);
        self.untold > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        requests: 10,
        window: Duration::from_secs(60),
    };

    fn passed(window: &mut Window, at: u64, tries: usize) -> usize {
        let now = Duration::from_secs(at);
        (0..tries)
            .filter(|_| window.count(now, RATE).is_ok())
            .count()
    }

    #[test]
    fn a_window_takes_its_number_and_the_next_one_only_what_the_first_left() {
        let mut window = Window::default();
        assert_eq!(passed(&mut window, 6000, 20), 10);
        assert_eq!(passed(&mut window, 6059, 20), 0);
        // Of the former ten, half count in the middle of the next window.
        assert_eq!(passed(&mut window, 6090, 20), 5);
        assert_eq!(passed(&mut window, 6600, 20), 10);
    }

    #[test]
    fn who_is_refused_learns_when_to_come_back() {
        let mut window = Window::default();
        passed(&mut window, 6000, 10);
        for at in [6010, 6061] {
            let now = Duration::from_secs(at);
            let wait = window.count(now, RATE).unwrap_err();
            let mut later = Window { ..window };
            assert!(later.count(now + wait / 2, RATE).is_err());
            // A first request fits when a window has passed, or enough of it.
            let mut later = Window { ..window };
            let free = now + wait + Duration::from_secs(6);
            assert!(later.count(free, RATE).is_ok(), "{at} {wait:?}");
        }
    }

    #[test]
    fn what_others_counted_counts() {
        let mut window = Window::default();
        assert_eq!(passed(&mut window, 6000, 3), 3);
        assert!(!window.tell(100, 3, 8));
        assert_eq!(window.untold(), 0);
        assert_eq!(passed(&mut window, 6000, 20), 2);
        // News of a window that is over changes nothing.
        assert!(!window.tell(99, 2, 100));
        assert_eq!(window.untold(), 2);
    }

    #[test]
    fn what_is_counted_while_others_are_told_is_news_again() {
        let mut window = Window::default();
        assert_eq!(passed(&mut window, 6000, 3), 3);
        assert!(window.tell(100, 2, 2));
        assert_eq!(window.untold(), 1);
    }
}
