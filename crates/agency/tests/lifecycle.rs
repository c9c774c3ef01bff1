//! The life of a run, from creation to removal, as a user sees it.

#[expect(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]
mod lifecycle {
    mod attach;
    mod create;
    mod damaged_git;
    mod diagnostics;
    mod hostile;
    mod inside_worktree;
    mod jj;
    mod many;
    mod mcp_servers;
    mod other_users;
    mod policy;
    mod read;
    mod remove;
    mod run_files;
    mod saved_refs;
    mod surroundings;
    mod terminal_reading;
    mod together;
    mod uncommitted;
    mod understand;
    mod watch_screen;

    use std::path::Path;

    use agency_testkit::{Repo, World};
    use serde_json::Value;

    fn world() -> World {
        World::new(Path::new(env!("CARGO_BIN_EXE_agency")))
    }

    /// Starts a run of `runner` in `repo`, with further arguments, and gives its data.
    fn start(world: &World, repo: &Repo, runner: &str, further: &[&str]) -> Value {
        let path = repo.path.to_str().expect("a path of our own");
        let mut arguments = vec!["run", "--repo", path, "--runner", runner, "--prompt", "do it"];
        arguments.extend(further);
        world.json(&arguments)["data"].take()
    }

    fn text<'a>(run: &'a Value, field: &str) -> &'a str {
        run[field].as_str().unwrap_or_else(|| panic!("{field} is no text in {run}"))
    }

    /// Waits for the end of a run and gives its data.
    fn end(world: &World, run: &Value) -> Value {
        let output = world.agency(&["wait", "--json", text(run, "id")]);
        output.object()["data"].take()
    }
}
