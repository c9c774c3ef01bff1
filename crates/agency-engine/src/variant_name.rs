//! The name of a value for diagnostics, which have no contents.

use std::fmt::Debug;

/// The name of the variant that an enum has.
pub(crate) fn variant_name(value: &impl Debug) -> String {
    let mut name = format!("{value:?}");
    let end = name.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(name.len());
    name.truncate(end);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_left_out() {
        let secret = Some("hunter2");
        assert_eq!(variant_name(&secret), "Some");
        assert_eq!(variant_name(&None::<String>), "None");
    }
}
