//! A question to the user of a command, answered by the first letter of a line.
//!
//! The one rule: a line that is none of the choices, and the end of the input, choose nothing.

use std::io::{self, Write};

use crate::output::Surface;

/// Asks on the terminal, and returns the letter of the choice.
pub(crate) fn choose(question: &str, letters: &[char]) -> io::Result<Option<char>> {
    let shown = Surface::stderr().shown(format!("{question} ").as_bytes());
    let mut stderr = io::stderr().lock();
    stderr.write_all(&shown)?;
    stderr.flush()?;
    drop(stderr);
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    let typed = line.trim().chars().next().map(|letter| letter.to_ascii_lowercase());
    Ok(typed.filter(|letter| letters.contains(letter)))
}
