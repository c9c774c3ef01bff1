//! Reads the timestamps of the database.
//!
//! The one rule: what is read here is what jiff reads, and whatever is not in the usual form is left to it.

use jiff::Timestamp;

/// A timestamp in the form in which all are stored: `2026-11-19T03:29:10.206Z`. Most rows hold four of them, and a parser of
/// every form takes ten times as long.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    usual(text.as_bytes()).or_else(|| text.parse().ok())
}

fn usual(text: &[u8]) -> Option<Timestamp> {
    let (moment, rest) = text.split_at_checked(19)?;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', h1, h2, b':', n1, n2, b':', s1, s2] = moment else {
        return None;
    };
    let (year, month, day) = (number(&[*y1, *y2, *y3, *y4])?, number(&[*m1, *m2])?, number(&[*d1, *d2])?);
    let (hour, minute, second) = (number(&[*h1, *h2])?, number(&[*n1, *n2])?, number(&[*s1, *s2])?);
    let is_plain = (1970..=9998).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of(month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let days = is_plain.then(|| days_since_1970(year, month, day))?;
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    Timestamp::new(seconds, nanoseconds(rest)?).ok()
}

/// The days that every year has of a month.
const fn days_of(month: i64) -> i64 {
    match month {
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The part of a second, with the letter of UTC at the end.
fn nanoseconds(text: &[u8]) -> Option<i32> {
    let digits = match text.strip_suffix(b"Z")? {
        [] => return Some(0),
        [b'.', digits @ ..] if (1..=9).contains(&digits.len()) => digits,
        _ => return None,
    };
    let missing = u32::try_from(9 - digits.len()).ok()?;
    i32::try_from(number(digits)? * 10_i64.pow(missing)).ok()
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))
}

/// The days of the Gregorian calendar. A year begins in March here, so that the day of a leap year is its last.
const fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let days_of_years = year * 365 + year / 4 - year / 100 + year / 400;
    days_of_years + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{parse, usual};

    #[test]
    fn the_usual_form_is_read_as_jiff_reads_it() {
        let start: Timestamp = "1970-01-01T00:00:00Z".parse().unwrap();
        // In steps of three days and a part of a second, until after the year 2100.
        for step in 0..17_000 {
            let at = start + SignedDuration::new(step * 262_147, i32::try_from(step * 58_711).unwrap());
            for text in [at.to_string(), format!("{at:.0}"), format!("{at:.3}")] {
                let known: Timestamp = text.parse().unwrap();
                assert_eq!(parse(&text), Some(known), "{text}");
                assert_eq!(usual(text.as_bytes()).is_some(), &text[5..10] != "02-29", "{text}");
            }
        }
    }

    #[test]
    fn what_is_not_in_the_usual_form_is_left_to_jiff() {
        for text in [
            "",
            "2026-11-19",
            "2026-11-19T03:29:10",
            "2026-11-19T03:29:10.Z",
            "2026-11-19T03:29:10.1234567890Z",
            "2026-11-19T03:29:60Z",
            "2026-11-19T24:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "2026-02-28T00:00:00+01:00",
            "2026-02-28t00:00:00z",
            "2026-02-28 00:00:00Z",
            "-002026-02-28T00:00:00Z",
            "2026-02-28T00:00:0\u{e4}Z",
            "1969-12-31T23:59:59Z",
            "9999-12-01T00:00:00Z",
        ] {
            assert_eq!(parse(text), text.parse().ok(), "{text}");
        }
    }
}
