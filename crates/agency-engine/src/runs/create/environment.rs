//! Environment files: `NAME=value` lines for the agent.

use std::ffi::OsString;
use std::path::Path;

use agency_model::ErrorCode;

use super::{CreateError, PathUse};

/// Reads `NAME=value` lines; blank lines and lines that begin with `#` are left out, `export ` before a name and
/// quotes around a value are taken off. Nothing is expanded.
pub fn read_environment_file(path: &Path) -> Result<Vec<(OsString, OsString)>, CreateError> {
    let text = std::fs::read_to_string(path).map_err(|error| CreateError::Path {
        what: PathUse::Environment,
        path: path.to_owned(),
        why: error.to_string(),
        code: if error.kind() == std::io::ErrorKind::PermissionDenied {
            ErrorCode::PermissionDenied
        } else {
            ErrorCode::InvalidPath
        },
    })?;
    let mut entries = vec![];
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some((name, value)) = line.split_once('=').filter(|(name, _)| is_name(name.trim())) else {
            // The line itself may hold a secret and is not repeated.
            let place = format!("{}:{}", path.display(), index + 1);
            return Err(CreateError::Value {
                field: "env_file",
                message: format!("{place}: expected NAME=value"),
                hint: "each line is NAME=value, empty, or a comment that begins with #",
            });
        };
        entries.push((name.trim().into(), unquoted(value.trim()).into()));
    }
    Ok(entries)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn unquoted(value: &str) -> &str {
    ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(OsString, OsString)>, CreateError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read_environment_file(file.path())
    }

    #[test]
    fn names_and_values_are_read_and_nothing_is_expanded() {
        let entries = read("# comment\n\nA=1\nexport B = \"two words\"\nC='$HOME'\nD=a=b\nE=\n").unwrap();
        let text: Vec<String> =
            entries.iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect();
        assert_eq!(text, ["A=1", "B=two words", "C=$HOME", "D=a=b", "E="]);
    }

    #[test]
    fn a_bad_line_is_named_by_its_number_and_not_repeated() {
        let message = read("A=1\nsecret\n").unwrap_err().to_string();
        assert!(message.ends_with(":2: expected NAME=value"), "{message}");
        assert!(read("1A=x\n").is_err());
    }
}
