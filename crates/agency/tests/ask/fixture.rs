//! Where questions are asked.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_testkit::{World, wait_for};

/// How long anything may take.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

/// A world in which the agent `mine` answers with a shell script, which finds the prompt in `$1` and the MCP file in `$2`,
/// and two sources: the directory `docs` with a file `a.txt`, and the file `note`.
pub(super) fn world(script: &str) -> World {
    let world = empty();
    let path = mine(&world, script);
    command(&world, "mine", "ask", &format!("'{}' {{prompt_file}} {{mcp_config}}", path.display()));
    world
}

/// Writes the default agent, `mine`, which has no command yet.
pub(super) fn mine(world: &World, script: &str) -> PathBuf {
    world.set("default_agent", "\"mine\"");
    world.agent("mine", script)
}

/// The same without an agent.
pub(super) fn empty() -> World {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    world.configure("\n[limits]\nstop_grace_seconds = 1\n");
    let docs = directory(&world, "docs");
    fs::write(docs.join("a.txt"), "the timeout is 42\n").unwrap();
    fs::write(world.root().join("note.md"), "a note\n").unwrap();
    let list = format!("[sources.docs]\ndir = {docs:?}\n\n[sources.note]\nfile = {:?}\n", world.root().join("note.md"));
    fs::write(world.root().join("home/sources.toml"), list).unwrap();
    world
}

/// Adds a command to the last agent of the configuration.
pub(super) fn command(world: &World, agent: &str, key: &str, text: &str) {
    let path = world.root().join("home/config.toml");
    let config = fs::read_to_string(&path).unwrap();
    let head = format!("[agents.{agent}]\n");
    let entry = format!("{head}{key} = {}\n", serde_json::Value::from(text));
    fs::write(path, config.replace(&head, &entry)).unwrap();
}

/// A directory of the world.
pub(super) fn directory(world: &World, name: &str) -> PathBuf {
    let path = world.root().join(name);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Whatever is left of scratch directories, hidden ones too.
pub(super) fn left(world: &World) -> Vec<PathBuf> {
    let places = [world.agency_home().join("scratch"), world.root().join("tmp")];
    let entries =
        places.iter().filter_map(|place| fs::read_dir(place).ok()).flatten().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().unwrap().to_str().unwrap().contains("lctx-")).collect()
}

/// Waits for the one scratch directory that is there whole.
#[track_caller]
pub(super) fn scratch(world: &World) -> PathBuf {
    wait_for("a scratch directory", LIMIT, || {
        left(world).into_iter().find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("lctx-"))
    })
}

/// Waits until no scratch directory is left, and no process of any run.
#[track_caller]
pub(super) fn wait_until_clean(world: &World) {
    wait_for("the end of every scratch directory", LIMIT, || left(world).is_empty().then_some(()));
    for run in world.runs() {
        run.wait_until_gone();
        run.wait_until_unsupervised();
    }
    sources_are_intact(world);
}

/// What is asked about is as it was.
#[track_caller]
pub(super) fn sources_are_intact(world: &World) {
    assert_eq!(fs::read_to_string(world.root().join("docs/a.txt")).unwrap(), "the timeout is 42\n");
    assert_eq!(fs::read_to_string(world.root().join("note.md")).unwrap(), "a note\n");
}
