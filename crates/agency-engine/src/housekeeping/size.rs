//! Sizes as text.

/// The units, each a thousand times the one before.
const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];

/// A size in the unit in which it has one to three digits before the point.
#[must_use]
pub fn size_text(bytes: u64) -> String {
    let (mut unit, mut divisor) = (0, 1_u64);
    while bytes / divisor >= 1000 && unit + 1 < UNITS.len() {
        divisor *= 1000;
        unit += 1;
    }
    let (whole, tenths) = (bytes / divisor, bytes % divisor * 10 / divisor);
    if unit > 0 && whole < 100 {
        format!("{whole}.{tenths} {}", UNITS[unit])
    } else {
        format!("{whole} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::size_text;

    #[test]
    fn a_size_has_one_to_three_digits_before_the_point() {
        let sizes = [0, 999, 1000, 4096, 99_999, 123_456, 2_500_000_000, u64::MAX];
        let texts = ["0 B", "999 B", "1.0 kB", "4.0 kB", "99.9 kB", "123 kB", "2.5 GB", "18446 PB"];
        assert_eq!(sizes.map(size_text), texts);
    }
}
