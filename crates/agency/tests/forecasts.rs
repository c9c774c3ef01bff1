//! Forecasts of conflicts: what they show, what they report, and that they disturb no agent.

#[expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]
mod forecasts {
    mod busy;
    mod killed;
    mod landing;
    mod reporting;
    mod showing;

    use std::path::Path;
    use std::process::Command;

    use agency_testkit::{Repo, World};
    use serde_json::Value;

    /// A world whose runs are detached, and its repository. Nothing is forecast there but by command.
    fn world() -> (World, Repo) {
        let (world, repo) = automatic_world();
        world.set("forecast.automatic", "false");
        (world, repo)
    }

    /// A world in which conflicts are forecast after checkpoints.
    fn automatic_world() -> (World, Repo) {
        let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
        world.set("host", "\"detached\"");
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

    /// What a command prints for users.
    #[track_caller]
    fn shown(world: &World, repo: &Repo, arguments: &[&str]) -> String {
        let output = world.run(&mut here(world, repo, arguments));
        assert!(output.status.success(), "{output:?}");
        output.stdout
    }

    /// A finished run by an agent that executes a shell script, and its id.
    #[track_caller]
    fn finished(world: &World, repo: &Repo, name: &str, script: &str) -> String {
        world.agent(name, script);
        let arguments = ["run", "-a", name, "--mode", "headless", "--name", name, "-p", "work"];
        let id = data(world, repo, &arguments)["id"].as_str().unwrap().to_owned();
        let ended = data(world, repo, &["wait", &id]);
        assert_eq!(ended["state"], "completed", "{ended}");
        id
    }

    /// The conflicts of a forecast by names: of a run with its target, or of two runs.
    fn conflicts(forecast: &Value) -> Vec<String> {
        let name = |id: &Value| {
            let runs = forecast["runs"].as_array().unwrap();
            runs.iter().find(|run| run["id"] == *id).unwrap()["name"].as_str().unwrap().to_owned()
        };
        let files = |of: &Value| -> Vec<String> {
            of["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
        };
        let is_conflict = |of: &&Value| of["verdict"] == "conflict";
        let with_target = forecast["runs"].as_array().unwrap().iter().filter(is_conflict);
        let with_target = with_target
            .map(|run| format!("{} {} {}", name(&run["id"]), run["target"].as_str().unwrap(), files(run).join(" ")));
        let pairs = forecast["pairs"].as_array().unwrap().iter().filter(is_conflict);
        let pairs =
            pairs.map(|pair| format!("{} {} {}", name(&pair["first"]), name(&pair["second"]), files(pair).join(" ")));
        with_target.chain(pairs).collect()
    }
}
