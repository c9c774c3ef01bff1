//! Durations as users write them: a number and a unit, such as `7d`.
//!
//! The one rule: what is written here is read back as the same duration.

use std::time::Duration;

/// The units, the largest first, with their seconds.
const UNITS: [(&str, u64); 5] = [("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)];
/// No duration is longer, so that it can be subtracted from any moment of today.
const MAX_SECONDS: u64 = 1 << 40;

/// A text that is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a duration; write for example 45s, 10m, 2h, 7d or 2w")]
pub struct InvalidDuration(String);

/// Reads `45s`, `10m`, `2h`, `7d` or `2w`.
pub fn parse_duration(text: &str) -> Result<Duration, InvalidDuration> {
    let expected = || InvalidDuration(text.to_owned());
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| expected())?;
    let seconds = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, seconds)| *seconds).ok_or_else(expected)?;
    number.checked_mul(seconds).filter(|seconds| *seconds < MAX_SECONDS).map(Duration::from_secs).ok_or_else(expected)
}

/// Writes whole seconds in the largest unit that is exact; days rather than weeks.
#[must_use]
pub fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let fits = |(name, unit): &&(&str, u64)| *name != "w" && seconds > 0 && seconds.is_multiple_of(*unit);
    let (name, unit) = UNITS.iter().find(fits).copied().unwrap_or(("s", 1));
    format!("{}{name}", seconds / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_their_unit() {
        assert_eq!(parse_duration("7d"), Ok(Duration::from_secs(604_800)));
        assert_eq!(parse_duration("0s"), Ok(Duration::ZERO));
        for wrong in ["", "7", "d", "-1s", "1.5h", "99999999999999999999s", "9999999999999w", "7 d", "7\u{e4}"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn durations_are_written_in_the_largest_exact_unit() {
        for text in ["0s", "45s", "90m", "36h", "7d", "61s"] {
            assert_eq!(duration_text(parse_duration(text).unwrap()), text);
        }
        assert_eq!(duration_text(parse_duration("2w").unwrap()), "14d");
    }
}
