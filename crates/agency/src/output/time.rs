//! Times as text.

use std::time::Duration;

use jiff::Timestamp;

/// How long ago something was, in one unit: `12s`, `5m`, `3h`, `9d`.
pub(crate) fn ago(now: Timestamp, then: Timestamp) -> String {
    let seconds = now.duration_since(then).as_secs().max(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// How long something took, in two units: `12s`, `5m08s`, `3h20m`.
pub(crate) fn took(from: Timestamp, to: Timestamp) -> String {
    let seconds = to.duration_since(from).as_secs().max(0);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h{minutes:02}m"),
    }
}

/// A text that is not a duration.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a duration; write for example 45s, 10m, 2h, 7d or 2w")]
pub(crate) struct InvalidDuration(String);

/// Reads `45s`, `10m`, `2h`, `7d` or `2w`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, InvalidDuration> {
    let expected = || InvalidDuration(text.to_owned());
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| expected())?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return Err(expected()),
    };
    number.checked_mul(seconds).filter(|seconds| *seconds < 1 << 40).map(Duration::from_secs).ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_their_unit() {
        assert_eq!(parse_duration("7d"), Ok(Duration::from_secs(604_800)));
        assert_eq!(parse_duration("0s"), Ok(Duration::ZERO));
        for wrong in ["", "7", "d", "-1s", "1.5h", "99999999999999999999s", "9999999999999w"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ages_have_one_unit() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let before = |seconds: i64| ago(now, Timestamp::from_second(1_000_000 - seconds).unwrap());
        assert_eq!([before(5), before(61), before(7300), before(200_000)], ["5s", "1m", "2h", "2d"]);
        assert_eq!(ago(now, Timestamp::from_second(1_000_009).unwrap()), "0s");
    }
}
