//! Whole files: what they mean, how their mistakes are reported, and what is shown of them.

mod launch;
mod meaning;
mod mistakes;
mod origins;
mod schema;
mod sixth_agent;

use super::{Config, ConfigError};
use std::path::Path;

fn toml(text: &str) -> Result<Config, ConfigError> {
    Config::parse(Path::new("config.toml"), text)
}

fn json(text: &str) -> Result<Config, ConfigError> {
    Config::parse(Path::new("config.json"), text)
}
