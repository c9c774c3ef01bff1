//! A home that cannot be used.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use agency_model::ErrorCode;

use super::refusal::{answers, hints, path, run_prompted, says, world};
use super::unprivileged::{self, user};

/// A command that has its home elsewhere.
fn at_home(mut command: Command, home: &str) -> Command {
    command.env("AGENCY_HOME", home);
    command
}

// proves L18
#[test]
fn a_home_that_may_not_be_made_is_refused() {
    let (world, repo) = unprivileged::world();
    let locked = world.root().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, Permissions::from_mode(0o555)).unwrap();
    let home = locked.join("agency");
    let arguments = run_prompted(&repo, &[]);
    for arguments in [&arguments[..], &["ls"]] {
        let command = || user(&world, &at_home(world.command(arguments), home.to_str().unwrap()));
        let error = answers(&world, command, ErrorCode::PermissionDenied);
        says(&error, &[home.to_str().unwrap(), "Permission denied"]);
        hints(&error, "AGENCY_HOME");
    }
    assert!(!home.exists());
    assert_eq!((repo.worktrees().len(), repo.branches()), (1, vec!["main".to_owned()]));
}

// proves L18
#[test]
fn a_read_only_home_of_the_user_is_refused() {
    let (world, repo) = unprivileged::world();
    let home = world.root().join("home");
    fs::set_permissions(&home, Permissions::from_mode(0o555)).unwrap();
    let command = || {
        let mut command = world.command(&run_prompted(&repo, &[]));
        command.env_remove("AGENCY_HOME");
        user(&world, &command)
    };
    let error = answers(&world, command, ErrorCode::PermissionDenied);
    says(&error, &[home.join(".agency").to_str().unwrap()]);
}

// proves L18
#[test]
fn a_home_that_became_read_only_is_refused_and_keeps_its_runs() {
    let (world, repo) = unprivileged::world();
    let run = world.run(&mut user(&world, &world.command(&run_prompted(&repo, &["--wait"]))));
    assert!(run.status.success(), "{run}");
    let directories = ["", "runs", "worktrees"].map(|name| world.agency_home().join(name));
    let set = |mode| {
        for directory in &directories {
            fs::set_permissions(directory, Permissions::from_mode(mode)).unwrap();
        }
    };
    set(0o500);
    let command = || user(&world, &world.command(&run_prompted(&repo, &[])));
    let error = answers(&world, command, ErrorCode::PermissionDenied);
    says(&error, &[world.agency_home().to_str().unwrap()]);
    set(0o700);
    let runs = world.json(&["ls", "--all"]);
    assert_eq!(runs["data"]["runs"].as_array().unwrap().len(), 1, "{runs:#}");
    assert_eq!(repo.worktrees().len(), 2);
}

// proves L18
#[test]
fn the_home_of_somebody_else_is_refused() {
    let (world, repo) = unprivileged::world();
    unprivileged::forbid(&world.agency_home());
    let command = || user(&world, &world.command(&run_prompted(&repo, &[])));
    let error = answers(&world, command, ErrorCode::PermissionDenied);
    says(&error, &[world.agency_home().to_str().unwrap()]);
}

// proves L18
#[test]
fn without_any_home_the_variable_to_set_is_named() {
    let (world, _) = world();
    let command = || {
        let mut command = world.command(&["ls"]);
        command.env_remove("AGENCY_HOME").env_remove("HOME");
        command
    };
    let error = answers(&world, command, ErrorCode::InvalidPath);
    says(&error, &["neither AGENCY_HOME nor HOME is set"]);
    hints(&error, "set AGENCY_HOME");
}

// proves L8, L9
#[test]
fn a_home_with_every_odd_character_works() {
    let (world, repo) = world();
    let home = world.root().join("it's a \"home\"\n名");
    let home = home.to_str().unwrap();
    let arguments = ["run", "--repo", path(&repo), "--runner", "quiet", "--prompt", "x", "--wait", "--json"];
    let run = world.run(&mut at_home(world.command(&arguments), home)).object();
    assert_eq!((&run["data"]["state"], &run["data"]["host"]), (&"completed".into(), &"tmux".into()), "{run:#}");
    assert!(run["data"]["worktree_path"].as_str().unwrap().starts_with(home));
    let id = run["data"]["id"].as_str().unwrap();
    let removed = world.run(&mut at_home(world.command(&["rm", id, "--json"]), home)).object();
    assert_eq!(removed["data"]["removed"], true, "{removed:#}");
    assert_eq!(repo.worktrees().len(), 1);
}
