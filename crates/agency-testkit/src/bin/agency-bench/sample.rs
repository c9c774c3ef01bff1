//! Times of one thing, measured again and again.

use std::time::Duration;

/// The times of all rounds.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    times: Vec<Duration>,
}

impl Sample {
    /// Adds the time of a round.
    pub(crate) fn add(&mut self, time: Duration) {
        self.times.push(time);
        self.times.sort_unstable();
    }

    /// The time that half of the rounds stayed below.
    pub(crate) fn median(&self) -> Duration {
        self.at(50)
    }

    /// The time that nine of ten rounds stayed below.
    pub(crate) fn p90(&self) -> Duration {
        self.at(90)
    }

    /// The time that ninety-nine of a hundred rounds stayed below.
    pub(crate) fn p99(&self) -> Duration {
        self.at(99)
    }

    /// How many times the other's median this one's is.
    pub(crate) fn ratio(&self, other: &Self) -> f64 {
        self.median().as_secs_f64() / other.median().as_secs_f64()
    }

    fn at(&self, percent: usize) -> Duration {
        self.times[(self.times.len() - 1) * percent / 100]
    }
}

impl std::fmt::Display for Sample {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", millis(self.median()), millis(self.p90()))
    }
}

/// A time in milliseconds, with as many digits as mean something.
pub(crate) fn millis(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1000.0;
    let digits = if millis < 10.0 { 2 } else { usize::from(millis < 100.0) };
    format!("{millis:.digits$} ms")
}

#[cfg(test)]
mod tests {
    use super::{Sample, millis};
    use std::time::Duration;

    #[test]
    fn the_median_and_the_ninetieth_percentile_are_measured_times() {
        let mut sample = Sample::default();
        for time in [5, 1, 4, 2, 3, 9, 8, 7, 6, 10, 11] {
            sample.add(Duration::from_millis(time));
        }
        assert_eq!(sample.median(), Duration::from_millis(6));
        assert_eq!(sample.p90(), Duration::from_millis(10));
    }

    #[test]
    fn a_time_has_three_digits() {
        let texts = [900, 34_000, 1_234_000].map(|micros| millis(Duration::from_micros(micros)));
        assert_eq!(texts, ["0.90 ms", "34.0 ms", "1234 ms"]);
    }
}
