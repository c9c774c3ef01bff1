//! Files that git does not track and that stay out of checkpoints.
//!
//! The one rule: a file is left out by its name or size alone, and is then never written or deleted by a restore.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Larger files that git does not track are not copied into the repository at each turn.
const MAX_UNTRACKED_BYTES: u64 = 64 * 1024 * 1024;
/// The ends of names of keys and stores of keys.
const ENDINGS: [&[u8]; 8] = [b".pem", b".key", b".p12", b".pfx", b".jks", b".keystore", b".ppk", b".kdbx"];
/// Whole names of files with passwords.
const NAMES: [&[u8]; 6] = [b".netrc", b"_netrc", b".pgpass", b".htpasswd", b".git-credentials", b".npmrc"];
/// What the names of private keys of OpenSSH begin with.
const SSH_KEYS: [&[u8]; 4] = [b"id_rsa", b"id_dsa", b"id_ecdsa", b"id_ed25519"];
/// Files with these ends show the form of a secret, not one.
const TEMPLATES: [&[u8]; 5] = [b".example", b".sample", b".template", b".dist", b".pub"];

/// Whether a file that git does not track is left out.
pub(super) fn is_left_out(work_tree: &Path, path: &Path) -> bool {
    may_be_secret(path)
        || work_tree
            .join(path)
            .symlink_metadata()
            .is_ok_and(|found| found.is_file() && found.len() > MAX_UNTRACKED_BYTES)
}

/// Whether a name is one that secrets usually have.
pub(super) fn may_be_secret(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let name = name.as_bytes().to_ascii_lowercase();
    if TEMPLATES.iter().any(|end| name.ends_with(end)) {
        return false;
    }
    let is_environment = name.starts_with(b".env") && (name.len() == 4 || matches!(name[4], b'.' | b'-' | b'_' | b'r'));
    let is_ssh_key = SSH_KEYS.iter().any(|key| name.strip_prefix(*key).is_some_and(is_end_of_word));
    let has = |part: &[u8]| name.windows(part.len()).any(|found| found == part);
    is_environment
        || is_ssh_key
        || NAMES.contains(&name.as_slice())
        || ENDINGS.iter().any(|end| name.ends_with(end))
        || (name.ends_with(b".json") && (has(b"credentials") || has(b"service-account") || has(b"service_account")))
}

/// Whether the word before ends here, and is not the beginning of a longer one.
fn is_end_of_word(rest: &[u8]) -> bool {
    rest.first().is_none_or(|next| matches!(next, b'.' | b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_names_of_code() {
        for secret in [
            ".env",
            "a/.env.local",
            ".envrc",
            "server.PEM",
            "tls/x.key",
            "id_rsa",
            ".ssh/id_ed25519",
            "id_ed25519_work",
            "aws-credentials.json",
            "Credentials.JSON",
            "store.p12",
            ".netrc",
        ] {
            assert!(may_be_secret(Path::new(secret)), "{secret}");
        }
        for plain in [
            ".env.example",
            ".env.sample",
            "environment.rs",
            ".environment",
            "id_generator.rs",
            "id_rsa.pub",
            "id_rsagen.py",
            "key.rs",
            "keyboard",
            "credentials.rs",
            "package.json",
        ] {
            assert!(!may_be_secret(Path::new(plain)), "{plain}");
        }
    }
}
