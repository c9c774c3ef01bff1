//! Problems with the configuration and with files of rules.

use agency_engine::config::{ConfigError, PolicyFileError, PolicyMistake};
use agency_model::ErrorCode;
use serde_json::{Value, json};

use super::{Coded, Problem};

impl Coded for ConfigError {
    fn code(&self) -> ErrorCode {
        ErrorCode::InvalidConfig
    }

    fn explain(&self, problem: Problem) -> Problem {
        let problem = problem.detail("file", self.path());
        match (self.line(), self.column()) {
            (Some(line), Some(column)) => problem.detail("line", line).detail("column", column),
            (_, _) => problem,
        }
    }
}

impl Coded for PolicyFileError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Config(error) => Coded::code(error),
            Self::Spec { .. } => ErrorCode::InvalidSpec,
            Self::Rules(_) => ErrorCode::InvalidConfig,
        }
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Config(error) => error.explain(problem),
            Self::Spec { path, error } => {
                let problem = problem.detail("file", path);
                match error.position() {
                    Some((line, column)) => problem.detail("line", line).detail("column", column),
                    None => problem,
                }
            }
            Self::Rules(mistakes) => {
                let mistake = |mistake: &PolicyMistake| {
                    let PolicyMistake { at, key, message } = mistake;
                    json!({ "file": at.path, "line": at.line, "column": at.column, "key": key, "message": message })
                };
                let mistakes: Vec<Value> = mistakes.iter().map(mistake).collect();
                problem.detail("mistakes", mistakes).hint("agency schema policy prints the shape of rules")
            }
        }
    }
}
