//! What sources and groups may be called: a source is a file name in a directory that has other files too.

use super::SourceError;

/// The maximum length of a name.
const MAX_NAME_CHARS: usize = 100;

/// Files beside the sources, whose names no source may have.
const TAKEN: &[&str] = &["prompt.md", "opencode.json"];

/// Checks the name of a source or a group.
pub(crate) fn check_name(name: &str) -> Result<(), SourceError> {
    let refuse = |why| Err(SourceError::InvalidName { name: name.to_owned(), why });
    let begins = name.chars().next().is_some_and(char::is_alphanumeric);
    if name.is_empty() {
        return refuse("it is empty");
    }
    if name.contains(char::is_whitespace) {
        return refuse("it has a space or a line break; write a hyphen instead");
    }
    if name.chars().any(|letter| !letter.is_alphanumeric() && !matches!(letter, '.' | '_' | '-')) || !begins {
        return refuse("a name begins with a letter or a digit and has letters, digits, '.', '_' and '-'");
    }
    if name.len() > MAX_NAME_CHARS {
        return refuse("it is longer than 100 bytes");
    }
    if TAKEN.iter().any(|taken| name.eq_ignore_ascii_case(taken)) {
        return refuse("a file of that name lies beside the sources of an ask");
    }
    Ok(())
}

/// Checks the address of a repository.
pub(super) fn check_url(url: &str) -> Result<(), SourceError> {
    let refuse = |why| Err(SourceError::Invalid { what: "the address", value: masked(url), why });
    let scheme_end = url.find(['/', ':']).unwrap_or(url.len());
    if url.trim().is_empty() {
        return refuse("it is empty");
    }
    if url.starts_with('-') {
        return refuse("it begins with a hyphen, and git would take it for an option");
    }
    if url.chars().any(char::is_control) {
        return refuse("it has a control character");
    }
    if url.get(scheme_end..).is_some_and(|rest| rest.starts_with("::")) {
        return refuse("it names a program to start; give an https, ssh, git or file address, or a path");
    }
    Ok(())
}

/// Checks a branch, tag or commit.
pub(super) fn check_ref(reference: &str) -> Result<(), SourceError> {
    let refuse = |why| Err(SourceError::Invalid { what: "the ref", value: reference.to_owned(), why });
    if reference.is_empty() || reference.starts_with(['-', '+']) {
        return refuse("it begins like an option, or is empty");
    }
    if reference.contains([':', '*', '?', '[', '\\', '^', '~', ' ']) || reference.chars().any(char::is_control) {
        return refuse("give the name of one branch or tag, or the id of a commit");
    }
    Ok(())
}

/// An address without the password that it may hold.
#[must_use]
pub fn masked(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match host.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split_once(':').map_or("***", |(user, _)| user);
            format!("{scheme}://{user}:***@{host}{path}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves A9
    #[test]
    fn a_name_is_a_plain_file_name() {
        for name in ["langchain", "a", "7", "lang-graph_2.1", "größe"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        let long = "x".repeat(101);
        let bad = ["", "..", ".", "/", "a/b", "../x", ".mcp.json", ".gemini", "a b", "a\nb", "a\0b", "a,b", "-s", "_x"];
        for name in bad.into_iter().chain([long.as_str(), "prompt.md", "PROMPT.MD", "opencode.json", "a\u{7}"]) {
            let message = check_name(name).unwrap_err().to_string();
            assert!(!message.contains('\n') && !message.contains('\0'), "{message}");
        }
    }

    #[test]
    fn an_address_starts_no_program_and_is_no_option() {
        for url in ["https://h/x.git", "git@h:x/y.git", "ssh://h/x", "/srv/x.git", "file:///x", "../x", "C:/x"] {
            assert!(check_url(url).is_ok(), "{url}");
        }
        for url in ["", " ", "--upload-pack=evil", "ext::sh -c id", "fd::7", "hg::https://h", "https://h/\nx"] {
            assert!(check_url(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_ref_names_one_thing() {
        for reference in ["main", "v1.0", "feature/x", "0123abcd"] {
            assert!(check_ref(reference).is_ok(), "{reference}");
        }
        for reference in ["", "-x", "+main", "a:b", "refs/*", "main~1", "a b", "a\nb"] {
            assert!(check_ref(reference).is_err(), "{reference}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(masked("https://me:s3cret@h/x@y"), "https://me:***@h/x@y");
        assert_eq!(masked("https://s3cret@h/x"), "https://***:***@h/x");
        assert_eq!(masked("https://h/x"), "https://h/x");
        assert_eq!(masked("git@h:x.git"), "git@h:x.git");
    }
}
