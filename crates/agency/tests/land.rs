//! Landing: from finished work to a commit on the target branch.

#[cfg(test)]
mod land {
    mod agents;
    mod conflict;
    mod hostile;
    mod killed;
    mod landing;
    mod publishing;
    mod racing;
    mod resolving;
    mod several;
    mod terminal;
    mod trust;
    mod unfinished;

    use std::path::Path;

    use agency_testkit::{Repo, Run, World};

    fn world() -> (World, Repo) {
        let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
        let repo = world.repo("project");
        (world, repo)
    }

    /// A finished run of an agent that runs this script, with further options.
    fn finished(world: &World, repo: &Repo, script: &str) -> Run {
        let name = format!("worker-{}", world.runs().len());
        world.agent(&name, script);
        let run = world.begin(repo, &name, &["--host", "detached", "--mode", "headless"]);
        world.ended(&run);
        run
    }

    /// The events of these types, as `type` alone.
    fn events(run: &Run, types: &[&str]) -> Vec<String> {
        let name = |event: serde_json::Value| event["type"].as_str().unwrap_or_default().to_owned();
        run.events().into_iter().map(name).filter(|name| types.contains(&name.as_str())).collect()
    }

    /// A file of the branch as it is there.
    fn on(repo: &Repo, branch: &str, file: &str) -> String {
        repo.git(&["show", &format!("{branch}:{file}")])
    }
}
