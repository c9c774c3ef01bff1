//! UUIDs, for agents that do not take ULIDs.

use ulid::Ulid;

/// A UUID of version 4.
pub fn random_uuid() -> String {
    let random = Ulid::generate().0;
    let part = |shift: u32, bits: u32| (random >> shift) & ((1_u128 << bits) - 1);
    // The fixed bits say: a UUID of version 4.
    let (version, variant) = (0x4000 | part(64, 12), 0x8000 | part(48, 14));
    format!("{:08x}-{:04x}-{version:04x}-{variant:04x}-{:012x}", part(96, 32), part(80, 16), part(0, 48))
}

#[cfg(test)]
mod tests {
    use super::random_uuid;

    #[test]
    fn a_uuid_has_its_usual_shape_and_is_another_each_time() {
        let uuid = random_uuid();
        let lengths: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{uuid}");
        assert_eq!(uuid.as_bytes()[14], b'4', "{uuid}");
        assert_ne!(uuid, random_uuid());
    }
}
