//! One file per verb.

pub(crate) mod adapters;
pub(crate) mod agent;
pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod attach;
pub(crate) mod cd;
pub(crate) mod chat;
pub(crate) mod checkpoint;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod cost;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod drive;
pub(crate) mod du;
pub(crate) mod events;
pub(crate) mod forecast;
pub(crate) mod gc;
pub(crate) mod help;
pub(crate) mod import;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod interrupt;
pub(crate) mod land;
pub(crate) mod logs;
pub(crate) mod ls;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod open;
pub(crate) mod policy;
pub(crate) mod race;
pub(crate) mod reconcile;
pub(crate) mod restore;
pub(crate) mod resume;
pub(crate) mod review;
pub(crate) mod rm;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod scripted;
pub(crate) mod send;
pub(crate) mod serve;
pub(crate) mod several;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod source;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod trust;
pub(crate) mod tui;
pub(crate) mod wait;
mod welcome;
pub(crate) mod why;
pub(crate) mod workflow;
pub(crate) mod worktree;

/// The help of every argument that names a run.
const RUN_HELP: &str = "The run: its name or a part of it, its id or the beginning or end of it, last, -1, -2";

/// The root of the repository at a path, as rows have it. One that does not exist any more is still named by its path.
fn repository_root(agency: &agency_engine::agency::Agency, path: &std::path::Path) -> String {
    let opened =
        agency.repository_at(path).or_else(|error| agency_workspace::Repository::kept_by_jj(path).ok_or(error));
    opened.map_or_else(
        |_| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string(),
        |repository| repository.root().display().to_string(),
    )
}
