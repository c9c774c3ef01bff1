//! A world with a repository, and the screen on a terminal.

use std::path::Path;
use std::time::Duration;

use agency_testkit::{Agent, Repo, Run, Terminal, World, agent};

/// How long anything may take.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

pub(super) fn world() -> (World, Repo) {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    let repo = world.repo("project");
    (world, repo)
}

/// Makes an agent known, unless it is.
fn know(world: &World, name: &str, agent: Agent) {
    if !world.root().join("agents").join(name).exists() {
        world.agent(name, agent);
    }
}

/// Starts a run of a patient agent.
pub(super) fn waiting(world: &World, repo: &Repo, name: &str) -> Run {
    know(world, "waiting", agent::waiting());
    world.begin(repo, "waiting", &["--host", "detached", "--mode", "headless", "--name", name])
}

/// Starts a run that is over at once.
pub(super) fn finished(world: &World, repo: &Repo, name: &str) -> Run {
    know(world, "quiet", agent::quiet());
    let run = world.begin(repo, "quiet", &["--host", "detached", "--mode", "headless", "--name", name]);
    world.ended(&run);
    run
}

/// The screen, as soon as it shows that text.
pub(super) fn screen(world: &World, shows: &str) -> Terminal {
    let terminal = world.terminal(&["tui"]);
    terminal.wait_for_text(shows);
    terminal
}

/// The screen with further variables in its environment.
pub(super) fn screen_with(world: &World, variables: &[&str], arguments: &[&str]) -> Terminal {
    let mut command = world.program("env");
    command.args(variables).arg(env!("CARGO_BIN_EXE_agency")).args(arguments);
    world.terminal_with(&command)
}
