//! The runners: on terminals, on pipes, by a script.

#[cfg(test)]
#[path = "../any_pieces/mod.rs"]
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
