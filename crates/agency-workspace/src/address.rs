//! The address of a repository, without the secrets in it.
//!
//! The one rule: a user name and a password of an http address are in the environment of git, never on a command line,
//! which every user of the machine can read. Git itself names the address on the command line of its helper.

use super::git_command::GitCommand;

/// Gives git the password when the server asks for it.
const HELPER: &str = "!f() { test \"$1\" = get && printf 'username=%s\\npassword=%s\\n' \"$AGENCY_SOURCE_USER\" \
                      \"$AGENCY_SOURCE_PASSWORD\"; }; f";
/// A server that sends less than a byte per second for so many seconds is not waited for any longer.
const LOW_SPEED_SECONDS: &str = "60";

/// An address, and what git needs beside it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// Without a user name and a password.
    url: String,
    /// The scheme and the host, for which the user name and the password are.
    host: String,
    user: Option<String>,
    password: Option<String>,
}

impl Address {
    /// Takes an address apart. One that is not http stays as it is.
    pub(super) fn new(url: &str) -> Self {
        let whole = || Self { url: url.to_owned(), host: String::new(), user: None, password: None };
        let Some((scheme, rest)) = url.split_once("://") else { return whole() };
        if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return whole();
        }
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let Some((login, host)) = authority.rsplit_once('@') else { return whole() };
        let (user, password) = match login.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (login, None),
        };
        Self {
            url: format!("{scheme}://{host}{path}"),
            host: format!("{scheme}://{host}"),
            user: Some(decoded(user)),
            password: password.map(decoded),
        }
    }

    /// Passes the address to git by its environment.
    pub(super) fn configure(&self, git: GitCommand) -> GitCommand {
        let of_host = |key: &str| format!("credential.{}.{key}", self.host);
        let mut settings = vec![
            ("remote.origin.url".to_owned(), self.url.as_str()),
            ("http.lowSpeedLimit".to_owned(), "1"),
            ("http.lowSpeedTime".to_owned(), LOW_SPEED_SECONDS),
        ];
        let mut git = git;
        match (&self.user, &self.password) {
            (Some(user), Some(password)) => {
                // No helper of the user's is to keep it.
                settings.extend([(of_host("helper"), ""), (of_host("helper"), HELPER)]);
                git = git.env("AGENCY_SOURCE_USER", user).env("AGENCY_SOURCE_PASSWORD", password);
            }
            (Some(user), None) => settings.push((of_host("username"), user)),
            (None, _) => {}
        }
        for (number, (key, value)) in settings.iter().enumerate() {
            git = git.env(&format!("GIT_CONFIG_KEY_{number}"), key).env(&format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        git.env("GIT_CONFIG_COUNT", settings.len().to_string())
    }
}

/// Text without its percent signs. Line breaks are left out: they would end the password for git.
fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (vec![], text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            Some(_) | None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes.retain(|byte| !matches!(byte, b'\n' | b'\r' | 0));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_taken_out_of_an_http_address_and_nothing_else_is_changed() {
        let address = Address::new("https://me:s%33cret%40@h:8080/x@y?z");
        assert_eq!((address.url.as_str(), address.host.as_str()), ("https://h:8080/x@y?z", "https://h:8080"));
        assert_eq!((address.user.as_deref(), address.password.as_deref()), (Some("me"), Some("s3cret@")));
        let address = Address::new("http://token@h/x");
        assert_eq!((address.url.as_str(), address.user.as_deref()), ("http://h/x", Some("token")));
        assert_eq!(address.password, None);
        for url in ["https://h/x", "git@h:x.git", "ssh://me@h/x", "/srv/x", "file:///x@y", "https://h"] {
            let address = Address::new(url);
            assert_eq!((address.url.as_str(), &address.user), (url, &None));
        }
        assert_eq!(decoded("a%0ab%zz%4"), "ab%zz%4");
    }
}
