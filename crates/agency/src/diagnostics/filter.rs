//! Which diagnostics are recorded: a level, or levels for parts of the program.

use agency_model::ErrorCode;
use tracing_subscriber::filter::{LevelFilter, Targets};

use crate::problem::Problem;

/// What the names of our own modules begin with.
const OWN: &str = "agency";

/// Everything of agency from a level on, and nothing else.
pub(super) fn own(level: LevelFilter) -> Targets {
    Targets::new().with_target(OWN, level)
}

/// A directive that is not valid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' in AGENCY_LOG is not a filter")]
pub(super) struct InvalidDirective(String);

/// The filter for a level and directives such as `debug` or `agency_engine::store=trace`, separated by commas. A directive
/// for a part holds there, whatever the level; one for everything holds unless the level records more. The error is the
/// first directive that is not valid.
pub(super) fn targets(level: LevelFilter, directives: &str) -> Result<Targets, InvalidDirective> {
    let mut general = None;
    let mut parts = vec![];
    for directive in directives.split(',').map(str::trim).filter(|directive| !directive.is_empty()) {
        let read: Targets = directive.parse().map_err(|_| InvalidDirective(directive.to_owned()))?;
        general = read.default_level().or(general);
        for (target, level) in &read {
            if !is_own(target) {
                return Err(InvalidDirective(directive.to_owned()));
            }
            parts.push((target.to_owned(), level));
        }
    }
    Ok(own(general.unwrap_or(level).max(level)).with_targets(parts))
}

/// Whether it is the name of a module of ours, or the beginning of one.
fn is_own(target: &str) -> bool {
    target.starts_with(OWN)
        && target.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | ':'))
}

impl From<InvalidDirective> for Problem {
    fn from(error: InvalidDirective) -> Self {
        Self::new(ErrorCode::Usage, error.to_string()).hint(
            "AGENCY_LOG is a level (error, warn, info, debug, trace, off) or a part of agency with a level, such as \
             agency_engine::store=trace, or several of them with commas",
        )
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    fn records(level: LevelFilter, directives: &str, target: &str, wanted: Level) -> bool {
        targets(level, directives).unwrap().would_enable(target, &wanted)
    }

    #[test]
    fn a_level_is_for_all_of_agency_and_nothing_else() {
        for (level, directives) in
            [(LevelFilter::DEBUG, ""), (LevelFilter::OFF, "debug"), (LevelFilter::OFF, " debug,")]
        {
            assert!(records(level, directives, "agency_engine::store", Level::DEBUG), "{directives:?}");
            assert!(records(level, directives, "agency::cli", Level::DEBUG), "{directives:?}");
            assert!(!records(level, directives, "agency_engine::store", Level::TRACE), "{directives:?}");
            assert!(!records(level, directives, "rmcp::service", Level::ERROR), "{directives:?}");
        }
    }

    #[test]
    fn a_directive_for_a_part_holds_there_alone() {
        let directives = "agency_engine::store=trace,warn,agency_engine::host=off";
        assert!(records(LevelFilter::OFF, directives, "agency_engine::store::open", Level::TRACE));
        assert!(records(LevelFilter::OFF, directives, "agency_engine::stop", Level::WARN));
        assert!(!records(LevelFilter::OFF, directives, "agency_engine::stop", Level::INFO));
        assert!(!records(LevelFilter::OFF, directives, "agency_engine::host", Level::ERROR));
        // The option asks for more than the variable.
        assert!(records(LevelFilter::DEBUG, directives, "agency_engine::stop", Level::DEBUG));
        // Nothing else is asked for.
        assert!(!records(LevelFilter::OFF, "agency_engine::store=trace", "agency::cli", Level::ERROR));
    }

    #[test]
    fn what_is_no_filter_is_named() {
        for (directives, wrong) in [
            ("loud", "loud"),
            ("debug,rmcp=trace", "rmcp=trace"),
            ("agency_engine=loud", "agency_engine=loud"),
            ("agency[span]=debug", "agency[span]=debug"),
        ] {
            assert_eq!(targets(LevelFilter::OFF, directives).unwrap_err(), InvalidDirective(wrong.to_owned()));
        }
    }
}
