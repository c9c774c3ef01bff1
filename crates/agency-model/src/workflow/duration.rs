//! Durations as Go writes them: `1h30m`, `90s`, `1.5h`, `100ms`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer, de};

/// A text that is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a duration; write for example 90s, 15m or 1h30m", .0.escape_debug())]
pub struct InvalidDuration(String);

/// The units and their nanoseconds; longer names first where one begins another.
const UNITS: &[(&str, u128)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
/// About a year; more is a slip, and its sum with a time could overflow.
const MAX_DURATION: Duration = Duration::from_secs(366 * 24 * 3600);

/// Reads a duration. Zero and negative ones are refused: nothing can be done in them.
pub fn parse_duration(text: &str) -> Result<Duration, InvalidDuration> {
    let invalid = || InvalidDuration(text.to_owned());
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    let mut total: u128 = 0;
    while !rest.is_empty() {
        let (nanoseconds, after) = one_part(rest).ok_or_else(invalid)?;
        total = total.checked_add(nanoseconds).ok_or_else(invalid)?;
        rest = after;
    }
    let duration = u64::try_from(total).map(Duration::from_nanos).map_err(|_| invalid())?;
    if duration.is_zero() || duration > MAX_DURATION { Err(invalid()) } else { Ok(duration) }
}

/// A number with its unit in nanoseconds, and what follows it.
fn one_part(text: &str) -> Option<(u128, &str)> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    // `m` begins `ms`, so the longest unit that fits is the one meant.
    let (unit, scale) = UNITS.iter().filter(|(unit, _)| rest.starts_with(unit)).max_by_key(|(unit, _)| unit.len())?;
    let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    // Nanoseconds have at most 13 digits in an hour; more digits of a fraction change nothing.
    let fraction = fraction.get(..fraction.len().min(15))?;
    let part = match fraction {
        "" => 0,
        digits => {
            digits.parse::<u128>().ok()?.checked_mul(*scale)? / 10_u128.checked_pow(digits.len().try_into().ok()?)?
        }
    };
    Some((whole.checked_mul(*scale)?.checked_add(part)?, rest.get(unit.len()..)?))
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// Writes a duration as it is read, in hours, minutes and seconds.
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = String::new();
    if hours > 0 {
        text.push_str(&format!("{hours}h"));
    }
    if minutes > 0 {
        text.push_str(&format!("{minutes}m"));
    }
    if duration.subsec_nanos() > 0 {
        let fraction = format!("{:09}", duration.subsec_nanos());
        text.push_str(&format!("{seconds}.{}s", fraction.trim_end_matches('0')));
    } else if seconds > 0 || text.is_empty() {
        text.push_str(&format!("{seconds}s"));
    }
    text
}

/// A stored duration is the text of a duration.
pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format_duration(*duration))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    parse_duration(&String::deserialize(deserializer)?).map_err(de::Error::custom)
}

/// The same where it may be missing.
pub(super) mod optional {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(in crate::workflow) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => super::serialize(duration, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(in crate::workflow) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| super::parse_duration(&text)).transpose().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_are_read_as_go_writes_them() {
        for (text, milliseconds) in [
            ("1h30m", 5_400_000),
            ("90s", 90_000),
            ("1.5h", 5_400_000),
            ("100ms", 100),
            (".5s", 500),
            ("1.s", 1000),
            ("1h0m0.25s", 3_600_250),
            ("+2m", 120_000),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        assert_eq!(parse_duration("3us"), parse_duration("3µs"));
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for wrong in [
            "",
            "5",
            "h",
            "1d",
            "-1s",
            "0",
            "0s",
            "1h 30m",
            "1.h.",
            "9999999h",
            "٣s",
            "1e3s",
            "99999999999999999999999999999999999999999s",
        ] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
        let told = parse_duration("10 minutes").map_err(|error| error.to_string());
        assert_eq!(told, Err("`10 minutes` is not a duration; write for example 90s, 15m or 1h30m".to_owned()));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(nanoseconds in 1_u64..1_000_000_000_000_000) {
            let duration = Duration::from_nanos(nanoseconds);
            prop_assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
        }

        #[test]
        fn no_text_stops_it(text in "[0-9.hmsnuµ+-]{0,30}") {
            let _ = parse_duration(&text);
        }
    }
}
