//! The screen rules against what the real agents showed, and against what no agent should show.

#![expect(clippy::disallowed_methods, reason = "the tests read recordings")]

#[cfg(test)]
mod answers;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod noise;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod wrong_files;
