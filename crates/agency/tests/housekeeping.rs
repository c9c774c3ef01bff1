//! `agency du` and `agency gc`: what takes disk space, and what of that goes.

#[cfg(test)]
mod housekeeping {
    mod du;
    mod gc_crash;
    mod gc_holds;
    mod gc_limits;
    mod gc_others;
    mod gc_removes;
    mod gc_serve;
    mod gc_work;

    use std::fs;
    use std::path::{Path, PathBuf};

    use agency_testkit::{Agent, Repo, Run, World};
    use serde_json::Value;

    /// Everything is old enough at once.
    const AT_ONCE: &str = "\n[gc]\nage = \"0s\"\nlanded_after = \"0s\"\nunused_after = \"0s\"\n";
    const DETACHED: [&str; 4] = ["--host", "detached", "--mode", "headless"];
    /// A commit with one new file.
    const COMMIT: &str = "echo x >new; git add new; git commit -qm work";

    fn world(configuration: &str) -> (World, Repo) {
        let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
        world.configure(&format!("\n[limits]\nstop_grace_seconds = 1\n{configuration}"));
        let repo = world.repo("project");
        (world, repo)
    }

    /// Changes a key of `[gc]`.
    fn set(world: &World, key: &str, value: &str) {
        let path = world.root().join("home/config.toml");
        let text = fs::read_to_string(&path).unwrap();
        let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with(&format!("{key} = "))).collect();
        let text = kept.join("\n").replace("[gc]", &format!("[gc]\n{key} = \"{value}\""));
        fs::write(&path, text).unwrap();
    }

    fn started(world: &World, repo: &Repo, agent: impl Into<Agent>) -> Run {
        let name = format!("worker-{}", world.runs().len());
        world.agent(&name, agent);
        world.begin(repo, &name, &DETACHED)
    }

    fn finished(world: &World, repo: &Repo, script: &str) -> Run {
        let run = started(world, repo, script);
        world.ended(&run);
        run.wait_until_unsupervised();
        run
    }

    fn worktree(world: &World, run: &Run) -> PathBuf {
        world.show(run)["worktree_path"].as_str().unwrap().into()
    }

    /// What `agency gc` answers.
    #[track_caller]
    fn gc(world: &World, options: &[&str]) -> Value {
        let mut answer = world.json(&[&["gc"], options].concat());
        assert_eq!(answer["ok"], true, "{answer:#}");
        answer["data"].take()
    }

    /// The entry about a run's worktree.
    #[track_caller]
    fn entry<'a>(report: &'a Value, run: &Run) -> &'a Value {
        let entries = report["entries"].as_array().unwrap();
        let of_run = |entry: &&Value| entry["category"] == "worktree" && entry["run"] == run.id.as_str();
        entries.iter().find(of_run).unwrap_or_else(|| panic!("{} is not in {report:#}", run.id))
    }

    /// What happens to a run's worktree, and why.
    #[track_caller]
    fn decision(report: &Value, run: &Run) -> (String, String) {
        let text = |field: &str| entry(report, run)[field].as_str().unwrap().to_owned();
        (text("action"), text("why"))
    }

    /// A run whose worktree `gc` keeps for a reason with these words, planned and executed.
    #[track_caller]
    fn is_kept(world: &World, run: &Run, words: &str) {
        for options in [["--dry-run"], ["--yes"]] {
            let (action, why) = decision(&gc(world, &options), run);
            assert_eq!(action, "keep", "{why}");
            assert!(why.contains(words), "{why}");
        }
        assert!(worktree(world, run).exists() && world.show(run)["removed_at"].is_null());
    }

    #[track_caller]
    fn is_removed(world: &World, run: &Run) {
        let shown = world.show(run);
        assert!(shown["removed_at"].is_string(), "{shown:#}");
        assert!(!Path::new(shown["worktree_path"].as_str().unwrap()).exists());
    }
}
