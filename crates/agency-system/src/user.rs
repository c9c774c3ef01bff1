//! The user that this process belongs to.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use rustix::process::getuid;

/// The user database.
const USERS: &str = "/etc/passwd";
/// The most that is read of it.
const MAX_USERS_BYTES: u64 = 16 * 1024 * 1024;

/// The name of the user in the user database, or `uid 1000` if it has none.
#[must_use]
pub fn user_name() -> String {
    let uid = getuid().as_raw();
    let name = File::open(USERS).ok().and_then(|users| name_of(uid, BufReader::new(users.take(MAX_USERS_BYTES))));
    name.unwrap_or_else(|| format!("uid {uid}"))
}

/// The first name with this number. A line is `name:password:uid:…`; lines that are not UTF-8 end the search.
fn name_of(uid: u32, users: impl BufRead) -> Option<String> {
    let named = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    };
    users.lines().map_while(Result::ok).find_map(|line| named(&line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_with_the_number_is_found_in_any_text() {
        let users =
            "root:x:0:0:root:/root:/bin/sh\n\nbroken\n:x:7:\nada:x:1000:1000::/home/user:/bin/sh\nbob:x:1000:1::\n";
        assert_eq!(name_of(1000, users.as_bytes()).as_deref(), Some("ada"));
        assert_eq!(name_of(0, users.as_bytes()).as_deref(), Some("root"));
        assert_eq!(name_of(7, users.as_bytes()), None, "an empty name is none");
        assert_eq!(name_of(5, users.as_bytes()), None);
    }
}
