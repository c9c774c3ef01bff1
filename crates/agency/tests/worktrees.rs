//! What worktrees get beside the files of their commit: copies, links, setup, ports, teardown.

#[cfg(test)]
mod worktrees {
    mod approval;
    mod files;
    mod killed;
    mod landing;
    mod ports;
    mod setup;
    mod teardown;
    mod visiting;

    use std::path::{Path, PathBuf};

    use agency_testkit::{Repo, Run, World};

    /// A world with a repository, whose git ignores some files, and an agent that only looks.
    fn world() -> (World, Repo) {
        let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
        world.configure("\n[limits]\nstop_grace_seconds = 1\n");
        let repo = world.repo("project");
        repo.commit_file(".gitignore", ".env*\n*.secret\nnode_modules/\ndata/\nbuilt\n");
        world.agent("looker", "ls -A; exit 0");
        (world, repo)
    }

    /// Writes the project file and approves it.
    fn propose(world: &World, repo: &Repo, text: &str) {
        repo.write(".agency/project.toml", text);
        world.ok(&["trust", "--yes", "--repo", repo.path.to_str().unwrap()]);
    }

    fn begin(world: &World, repo: &Repo, agent: &str) -> Run {
        world.begin(repo, agent, &["--host", "detached", "--mode", "headless"])
    }

    fn finished(world: &World, repo: &Repo, agent: &str) -> Run {
        let run = begin(world, repo, agent);
        assert_eq!(world.ended(&run)["state"], "completed", "{:?}", run.messages());
        run
    }

    fn worktree(world: &World, run: &Run) -> PathBuf {
        world.show(run)["worktree_path"].as_str().unwrap().into()
    }
}
