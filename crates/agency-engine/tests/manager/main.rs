//! The manager of named agents, with scripted agents in this process.

#[cfg(test)]
mod place;
#[cfg(test)]
mod scripted;
