//! Where the configuration file is.

use etcetera::BaseStrategy;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};

/// The variables that may name the file, as the caller found them.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `$AGENCY_CONFIG`.
    pub agency_config: Option<PathBuf>,
    /// `$agency_CONFIG`.
    pub agency_config_lower: Option<PathBuf>,
}

impl Environment {
    /// The variables of this process.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "these variables name the user's configuration")]
    pub fn of_process() -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self { agency_config: variable("AGENCY_CONFIG"), agency_config_lower: variable("agency_CONFIG") }
    }
}

/// All variables of this process: an agent gets the environment of its caller unless another is given.
#[expect(clippy::disallowed_methods, reason = "an agent gets the environment of its caller unless another is given")]
pub(crate) fn environment_of_process() -> BTreeMap<OsString, OsString> {
    std::env::vars_os().collect()
}

/// A file to read, and whether it has to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Location {
    /// The user named it, so it has to be there.
    Named {
        /// The file.
        path: PathBuf,
        /// What named it.
        by: NamedBy,
    },
    /// The platform's place for it, where it may be missing.
    Platform(PathBuf),
}

impl Location {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Named { path, .. } | Self::Platform(path) => path,
        }
    }
}

/// What named the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum NamedBy {
    /// The option `--config`.
    Flag,
    /// An argument.
    Argument,
    /// The variable in capitals.
    Variable,
    /// The variable that begins in small letters.
    LowerVariable,
}

impl fmt::Display for NamedBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Flag => "--config",
            Self::Argument => "the command line",
            Self::Variable => "$AGENCY_CONFIG",
            Self::LowerVariable => "$agency_CONFIG",
        })
    }
}

/// Finds the file to read: the flag's, else a variable's, else the platform's. `None` means there is no home directory
/// that could hold one.
#[must_use]
pub fn locate(flag: Option<&Path>, environment: &Environment) -> Option<Location> {
    named(flag, environment).or_else(|| platform_file().map(Location::Platform))
}

fn named(flag: Option<&Path>, environment: &Environment) -> Option<Location> {
    // An empty variable is how a shell user switches one off; an empty flag is a mistake, and the file is not found.
    let variable = |path: &Option<PathBuf>| path.clone().filter(|path| !path.as_os_str().is_empty());
    let candidates = [
        (flag.map(Path::to_path_buf), NamedBy::Flag),
        (variable(&environment.agency_config), NamedBy::Variable),
        (variable(&environment.agency_config_lower), NamedBy::LowerVariable),
    ];
    candidates.into_iter().find_map(|(path, by)| path.map(|path| Location::Named { path, by }))
}

fn platform_file() -> Option<PathBuf> {
    let base = etcetera::base_strategy::Xdg::new().ok()?;
    Some(base.config_dir().join("agency").join("config.toml"))
}

#[cfg(test)]
mod tests {
    use super::{Environment, Location, NamedBy, locate};
    use std::path::{Path, PathBuf};

    fn environment(upper: &str, lower: &str) -> Environment {
        Environment { agency_config: Some(PathBuf::from(upper)), agency_config_lower: Some(PathBuf::from(lower)) }
    }

    fn named(path: &str, by: NamedBy) -> Option<Location> {
        Some(Location::Named { path: PathBuf::from(path), by })
    }

    #[test]
    fn the_flag_wins_over_the_variables_and_capitals_over_small_letters() {
        let both = environment("/upper", "/lower");
        assert_eq!(locate(Some(Path::new("/flag")), &both), named("/flag", NamedBy::Flag));
        assert_eq!(locate(None, &both), named("/upper", NamedBy::Variable));
        let lower = Environment { agency_config: None, ..both };
        assert_eq!(locate(None, &lower), named("/lower", NamedBy::LowerVariable));
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        assert_eq!(locate(None, &environment("", "/lower")), named("/lower", NamedBy::LowerVariable));
    }

    #[test]
    fn otherwise_it_is_in_the_platform_place() {
        match locate(None, &Environment::default()) {
            Some(Location::Platform(path)) => assert!(path.ends_with("agency/config.toml"), "{path:?}"),
            Some(Location::Named { path, by }) => panic!("{by} names {path:?}"),
            None => {}
        }
    }
}
