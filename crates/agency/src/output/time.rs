//! Times as text.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_one_unit() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let before = |seconds: i64| ago(now, Timestamp::from_second(1_000_000 - seconds).unwrap());
        assert_eq!([before(5), before(61), before(7300), before(200_000)], ["5s", "1m", "2h", "2d"]);
        assert_eq!(ago(now, Timestamp::from_second(1_000_009).unwrap()), "0s");
    }
}
