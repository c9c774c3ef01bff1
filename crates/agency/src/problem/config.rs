//! Problems with the configuration and with files of rules.

use agency_engine::config::{ConfigError, PolicyFileError};
use agency_model::ErrorCode;

use super::mistakes::{as_entries, message_of, with_places};
use super::{Coded, Problem};

impl Coded for ConfigError {
    fn code(&self) -> ErrorCode {
        ErrorCode::InvalidConfig
    }

    fn message(&self) -> String {
        match self {
            Self::Invalid(mistakes) => message_of(mistakes.as_slice()),
            Self::Missing { .. } | Self::Unreadable { .. } | Self::TooLarge { .. } | Self::NotUtf8 { .. } => {
                self.to_string()
            }
        }
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Invalid(mistakes) => with_places(problem, mistakes.as_slice()),
            Self::Missing { path, .. }
            | Self::Unreadable { path, .. }
            | Self::TooLarge { path }
            | Self::NotUtf8 { path, .. } => problem.detail("file", path),
        }
    }
}

impl Coded for PolicyFileError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Config(error) => Coded::code(error),
            Self::Spec(_) => ErrorCode::InvalidSpec,
            Self::Rules(_) => ErrorCode::InvalidConfig,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Config(error) => error.message(),
            Self::Spec(mistakes) | Self::Rules(mistakes) => message_of(mistakes.as_slice()),
        }
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Config(error) => error.explain(problem),
            Self::Spec(mistakes) => with_places(problem, mistakes.as_slice()),
            Self::Rules(mistakes) => problem
                .detail("mistakes", as_entries(mistakes.as_slice()))
                .hint("agency schema policy prints the shape of rules"),
        }
    }
}
