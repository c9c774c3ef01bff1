//! Issue 17: what other programs see of the library.

#[cfg(test)]
mod examples;
#[cfg(test)]
mod handles;
