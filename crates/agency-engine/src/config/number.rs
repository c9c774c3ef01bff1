//! Numbers in the file, and what their bounds are in the user's words.

use serde::{Deserialize, Deserializer, de};
use std::fmt;

pub(super) const DAY_IN_SECONDS: u32 = 86_400;

/// Reads a number within bounds, and says in the user's words what the bounds are.
pub(crate) fn whole_number<'de, D: Deserializer<'de>, const MIN: u32, const MAX: u32>(
    deserializer: D,
) -> Result<u32, D::Error> {
    struct Bounds<const MIN: u32, const MAX: u32>;

    impl<const MIN: u32, const MAX: u32> Bounds<MIN, MAX> {
        fn check<E: de::Error>(&self, number: Option<u32>, found: de::Unexpected<'_>) -> Result<u32, E> {
            number.filter(|number| (MIN..=MAX).contains(number)).ok_or_else(|| E::invalid_value(found, self))
        }
    }

    impl<const MIN: u32, const MAX: u32> de::Visitor<'_> for Bounds<MIN, MAX> {
        type Value = u32;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(formatter, "a whole number from {MIN} to {MAX}")
        }

        fn visit_i64<E: de::Error>(self, number: i64) -> Result<u32, E> {
            self.check(u32::try_from(number).ok(), de::Unexpected::Signed(number))
        }

        fn visit_u64<E: de::Error>(self, number: u64) -> Result<u32, E> {
            self.check(u32::try_from(number).ok(), de::Unexpected::Unsigned(number))
        }
    }

    deserializer.deserialize_u32(Bounds::<MIN, MAX>)
}

/// Reads pauses in seconds, of which there is at least one.
pub(super) fn pauses<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
    let pauses = Vec::<u32>::deserialize(deserializer)?;
    if pauses.is_empty() || pauses.iter().any(|pause| *pause > DAY_IN_SECONDS) {
        return Err(de::Error::custom(format!("expected one or more whole numbers from 0 to {DAY_IN_SECONDS}")));
    }
    Ok(pauses)
}
