//! Commands that are printed for a user to run.

use std::ffi::OsStr;

/// A word as a shell reads it back: unchanged where that is safe, else in quotes.
#[must_use]
pub fn shell_quoted(word: impl AsRef<OsStr>) -> String {
    shell_words::quote(&word.as_ref().to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_shell_reads_a_quoted_word_as_it_is() {
        assert_eq!(shell_quoted(Path::new("/a/b-c.d")), "/a/b-c.d");
        assert_eq!(shell_quoted("/it's here"), r"'/it'\''s here'");
        for word in ["", "$(x)", "a;b", "it's", "a\nb", "~", "*", "-x"] {
            assert_eq!(shell_words::split(&format!("git -C {}", shell_quoted(word))).unwrap(), ["git", "-C", word]);
        }
    }
}
