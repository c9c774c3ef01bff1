//! The files of a process below `/proc`.

use std::fs::File;
use std::io::{self, Read};

/// Most of these files are shorter.
const USUAL_BYTES: usize = 4096;

/// Reads one of them as a whole. Its length is unknown before, and reading it piece by piece, as `fs::read` does then, takes
/// several times as long.
pub(super) fn read_proc_file(pid: u32, name: &str) -> io::Result<Vec<u8>> {
    let mut content = Vec::with_capacity(USUAL_BYTES);
    File::open(format!("/proc/{pid}/{name}"))?.take(u64::MAX).read_to_end(&mut content)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_file_that_is_longer_than_usual_is_read_to_its_end() {
        let long = "x".repeat(3 * USUAL_BYTES);
        let mut child = Command::new("sleep").arg("600").env_clear().env("LONG", &long).spawn().unwrap();
        let found = read_proc_file(child.id(), "environ");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(String::from_utf8(found.unwrap()).unwrap(), format!("LONG={long}\0"));
        assert!(read_proc_file(u32::MAX, "environ").is_err());
    }
}
