//! Reads the file's text, within limits.

use super::{ConfigError, Location, problem::MAX_BYTES};
use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::Path,
};

/// The usual size of a file, so that it is read at once.
const USUAL_BYTES: usize = 4096;

/// The text of the file; `None` where it may be missing and is.
pub(super) fn text(location: &Location) -> Result<Option<String>, ConfigError> {
    let path = location.path();
    let bytes = match bytes(path) {
        Ok(bytes) => bytes,
        Err(source) if matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return match location {
                Location::Platform(_) => Ok(None),
                Location::Named { path, by } => Err(ConfigError::Missing { path: path.clone(), by: *by }),
            };
        }
        Err(source) => {
            return Err(ConfigError::Unreadable { path: path.to_owned(), source });
        }
    };
    if bytes.len() > MAX_BYTES {
        return Err(ConfigError::TooLarge { path: path.to_owned() });
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| ConfigError::NotUtf8 { path: path.to_owned(), offset: error.utf8_error().valid_up_to() })?;
    Ok(Some(text))
}

/// At most one byte more than is allowed, so that a device without end is refused as well.
fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, text};
    use crate::config::{ConfigError, Location, NamedBy};
    use std::path::PathBuf;

    fn read(contents: &[u8]) -> (tempfile::TempDir, Result<Option<String>, ConfigError>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, contents).unwrap();
        let result = text(&Location::Named { path, by: NamedBy::Flag });
        (folder, result)
    }

    fn message(contents: &[u8]) -> String {
        let (folder, result) = read(contents);
        result.unwrap_err().to_string().replace(&folder.path().display().to_string(), "")
    }

    #[test]
    fn a_named_file_has_to_be_there() {
        let location = |by| Location::Named { path: PathBuf::from("/nowhere/config.toml"), by };
        insta::assert_snapshot!(
            text(&location(NamedBy::Flag)).unwrap_err(),
            @"/nowhere/config.toml: --config names this file, but it does not exist"
        );
        insta::assert_snapshot!(
            text(&location(NamedBy::LowerVariable)).unwrap_err(),
            @"/nowhere/config.toml: $agency_CONFIG names this file, but it does not exist"
        );
    }

    #[test]
    fn the_platform_file_may_be_missing() {
        assert_eq!(text(&Location::Platform(PathBuf::from("/nowhere/config.toml"))).unwrap(), None);
        assert_eq!(text(&Location::Platform(PathBuf::from("/dev/null/config.toml"))).unwrap(), None);
    }

    #[test]
    fn a_directory_cannot_be_read() {
        let error = text(&Location::Platform(PathBuf::from("/"))).unwrap_err();
        assert!(matches!(error, ConfigError::Unreadable { .. }), "{error}");
    }

    #[test]
    fn the_limit_is_exact_and_stops_endless_devices() {
        assert_eq!(read(&vec![b'#'; MAX_BYTES]).1.unwrap().map(|text| text.len()), Some(MAX_BYTES));
        insta::assert_snapshot!(
            message(&vec![b'#'; MAX_BYTES + 1]),
            @"/config.toml: is larger than 1 MB (1000000 bytes)"
        );
        let error = text(&Location::Platform(PathBuf::from("/dev/zero"))).unwrap_err();
        assert!(matches!(error, ConfigError::TooLarge { .. }), "{error}");
    }

    #[test]
    fn other_encodings_are_refused_with_the_offset() {
        insta::assert_snapshot!(
            message(b"host = \"\xff\""),
            @"/config.toml: is not UTF-8 text: the byte at offset 8 does not belong there"
        );
    }
}
