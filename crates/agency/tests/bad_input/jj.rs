//! What `--vcs` cannot do.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agency_model::ErrorCode;
use agency_testkit::{JjKind, Repo, World, agent};

use super::refusal::{hints, refused, run_prompted, says, world};

fn jj_world(kind: JjKind) -> (World, Repo) {
    let world = World::with_jj(env!("CARGO_BIN_EXE_agency"));
    world.agent("quiet", agent::quiet());
    let repo = world.jj_repo("project", kind);
    world.ok(&["ls"]);
    (world, repo)
}

/// A program called jj that says that it is old, and a PATH with it and with git.
fn old_jj(world: &World) -> String {
    let programs = world.root().join("programs");
    fs::create_dir_all(&programs).unwrap();
    fs::write(programs.join("jj"), "#!/bin/sh\necho jj 0.39.0\n").unwrap();
    fs::set_permissions(programs.join("jj"), fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", programs.display(), std::env::var("PATH").unwrap())
}

/// A PATH with git and the shell, and without jj.
fn without_jj(world: &World) -> String {
    let programs = world.root().join("no-jj");
    fs::create_dir_all(&programs).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for name in ["git", "sh", "env"] {
        let mut places = std::env::split_paths(&path).map(|place| place.join(name));
        let found = places.find(|path| path.is_file()).unwrap();
        std::os::unix::fs::symlink(found, programs.join(name)).unwrap();
    }
    programs.display().to_string()
}

// proves P10
#[test]
fn a_git_repository_is_not_one_of_jj() {
    let (world, repo) = world();
    let error = refused(&world, &repo, &run_prompted(&repo, &["--vcs", "jj"]), ErrorCode::NotJjRepo);
    says(&error, &["is not in a jj repository"]);
    hints(&error, "--vcs git");
}

// proves P10
#[test]
fn without_jj_or_with_an_old_one_nothing_is_created() {
    for kind in JjKind::ALL {
        let (world, repo) = jj_world(kind);
        for (path, words) in [(without_jj(&world), "jj is not installed"), (old_jj(&world), "jj 0.39.0 is too old")] {
            let mut command = world.command(&run_prompted(&repo, &["--vcs", "jj", "--json"]));
            let answer = world.run(command.env("PATH", &path)).object();
            assert_eq!(answer["error"]["code"], ErrorCode::JjNotFound.as_str(), "{answer:#}");
            says(&answer["error"], &[words]);
            hints(&answer["error"], "--vcs git");

            // By itself it takes git where git knows the repository, and says so.
            let mut command = world.command(&run_prompted(&repo, &["--dry-run", "--json"]));
            let answer = world.run(command.env("PATH", &path)).object();
            match kind {
                JjKind::Alone => assert_eq!(answer["error"]["code"], ErrorCode::JjNotFound.as_str(), "{answer:#}"),
                JjKind::Colocated => assert_eq!(answer["data"]["spec"]["vcs"], "git", "{answer:#}"),
            }
        }
        assert_eq!(repo.workspaces(), ["default"]);
        assert!(world.runs().is_empty());
    }
}

// proves P10
#[test]
fn the_user_is_told_that_git_is_used_instead() {
    let (world, repo) = jj_world(JjKind::Colocated);
    let mut command = world.command(&run_prompted(&repo, &["--wait"]));
    let output = world.run(command.env("PATH", old_jj(&world)));
    assert!(output.stderr.contains("0.39.0 is too old") && output.stderr.contains("git worktree"), "{output}");
    assert_eq!(world.show(&world.runs()[0])["vcs"], "git");
}

// proves P10
#[test]
fn a_base_that_cannot_be_used_is_named_and_nothing_is_made() {
    for kind in JjKind::ALL {
        let (world, repo) = jj_world(kind);
        repo.write("a.txt", "one\n");
        repo.jj(&["bookmark", "create", "one"]);
        repo.jj(&["new", "@-"]);
        repo.write("a.txt", "two\n");
        repo.jj(&["new", "@", "one"]);
        for (more, words) in [
            (&[][..], "is conflicted"),
            (&["--base", "@"], "is conflicted"),
            (&["--base", "::@"], "means 5 revisions"),
            (&["--base", "origin/main"], "a revset of jj"),
        ] {
            let error = world.error(&run_prompted(&repo, more), ErrorCode::BadRef);
            says(&error, &[words]);
        }
        assert_eq!(repo.workspaces(), ["default"], "{kind:?}");
        assert!(world.runs().is_empty());
    }
}
