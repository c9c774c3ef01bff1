//! The arguments of `agency-bench measure`.

use crate::rows;
use std::path::PathBuf;

/// What to measure, and how.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The program under test.
    pub(crate) agency: PathBuf,
    /// Whether few rounds are enough.
    pub(crate) quick: bool,
    /// Whether memory is watched for an hour.
    pub(crate) long: bool,
    /// Whether a miss is an error.
    pub(crate) check: bool,
    /// Whether other programs are measured as well.
    pub(crate) peers: bool,
    /// An earlier program, measured in turns with this one.
    pub(crate) against: Option<PathBuf>,
    /// Where the lines of each row are kept.
    pub(crate) keep: Option<PathBuf>,
    /// The rows that are wanted; all if none is named.
    pub(crate) rows: Vec<String>,
}

impl Options {
    /// Reads the arguments; the error is the first that is not known.
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { agency: arguments.next().unwrap_or_default().into(), ..Self::default() };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--long" => options.long = true,
                "--check" => options.check = true,
                "--peers" => options.peers = true,
                "--against" => options.against = Some(arguments.next().ok_or(argument)?.into()),
                "--keep" => options.keep = Some(arguments.next().ok_or(argument)?.into()),
                name if rows::ALL.iter().any(|(known, _)| *known == name) => options.rows.push(argument),
                _ => return Err(argument),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn read(words: &str) -> Result<Options, String> {
        Options::read(words.split(' ').map(str::to_owned))
    }

    #[test]
    fn options_and_rows_may_be_mixed_and_unknown_ones_are_named() {
        let options = read("/bin/agency --quick ls --against /bin/old start").unwrap();
        assert!(options.quick && !options.check);
        assert_eq!(options.rows, ["ls", "start"]);
        assert_eq!(options.against.unwrap().to_str(), Some("/bin/old"));
        assert_eq!(read("/bin/agency --fast").unwrap_err(), "--fast");
        assert_eq!(read("/bin/agency nothing").unwrap_err(), "nothing");
        assert_eq!(read("/bin/agency --keep").unwrap_err(), "--keep");
    }
}
