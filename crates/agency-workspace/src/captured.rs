//! Files without a name for what a program reads and prints: a pipe stays open as long as a leftover of the program holds
//! it.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use super::{Result, WorkspaceError};

/// A file without a name that takes the output of a program.
pub(super) struct CapturedOutput(File);

impl CapturedOutput {
    pub(super) fn new() -> Result<Self> {
        tempfile::tempfile().map(Self).map_err(unusable)
    }

    /// What the program writes to.
    pub(super) fn writer(&self) -> Result<File> {
        self.0.try_clone().map_err(unusable)
    }

    /// What the program wrote.
    pub(super) fn into_bytes(mut self) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        self.0.rewind().and_then(|()| self.0.read_to_end(&mut content)).map_err(unusable)?;
        Ok(content)
    }

    /// The same as text, without the last newline.
    pub(super) fn into_text(self) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.into_bytes()?).trim_end().to_owned())
    }
}

/// A file that git reads as its standard input.
pub(super) fn standard_input(content: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}

fn unusable(source: io::Error) -> WorkspaceError {
    WorkspaceError::io("keep a program's output in", &std::env::temp_dir())(source)
}
