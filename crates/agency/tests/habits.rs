//! The daily loop on the command line: names of runs, prompts from everywhere, several runs at once, what is shown.

#[expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]
mod habits {
    mod completing;
    mod importing;
    mod listing;
    mod names;
    mod prompts;
    mod selecting;

    use std::path::Path;
    use std::process::Command;

    use agency_testkit::{Agent, Repo, World, agent};
    use serde_json::Value;

    /// A world whose runs are detached and headless by the agents `quick` and `waiting`, and its repository.
    fn world() -> (World, Repo) {
        let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
        world.set("host", "\"detached\"");
        world.set("default_agent", "\"quick\"");
        world.configure("\n[limits]\nstop_grace_seconds = 1\n");
        world.agent("quick", Agent::new("echo done; echo new > new.txt"));
        world.agent("failing", agent::failing(3));
        world.agent("waiting", agent::waiting());
        let repo = world.repo("project");
        (world, repo)
    }

    /// A command in the repository.
    fn here(world: &World, repo: &Repo, arguments: &[&str]) -> Command {
        let mut command = world.command(arguments);
        command.current_dir(&repo.path);
        command
    }

    /// The answer of a command in the repository.
    #[track_caller]
    fn data(world: &World, repo: &Repo, arguments: &[&str]) -> Value {
        let output = world.run(here(world, repo, arguments).arg("--json"));
        let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        assert_eq!(answer["ok"], true, "{answer}");
        answer["data"].clone()
    }

    /// A run with this prompt, and its id.
    #[track_caller]
    fn start(world: &World, repo: &Repo, agent: &str, prompt: &str) -> String {
        let run = data(world, repo, &["run", "-a", agent, prompt]);
        run["id"].as_str().unwrap().to_owned()
    }
}
