//! The screen rules against what the real agents showed, and against what no agent should show.

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
