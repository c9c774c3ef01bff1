//! The runners: on terminals, on pipes, by a script.

#[cfg(test)]
#[path = "../any_pieces/mod.rs"]
#[expect(dead_code, reason = "some of it is about something else than runners")]
mod any_pieces;
#[cfg(test)]
mod cleaning;
#[cfg(test)]
mod hearing;
#[cfg(test)]
mod pipes;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod terminal;
