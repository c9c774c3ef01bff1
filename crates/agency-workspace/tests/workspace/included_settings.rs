//! Settings that a user includes with `includeIf` hold when agency looks at, saves and commits an agent's files.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agency_workspace::{Changes, GitWorktree, RemoveOptions, Workspace};

use crate::world::{World, git, try_git, write};

/// Says to a process that it is the one with a home of its own.
const INSIDE: &str = "WORKSPACE_WITH_HOME";

/// Runs the rest of a test in a process with a home of its own: the variables of this one belong to all its tests.
macro_rules! with_home {
    () => {{
        fn here() {}
        match home_of(std::any::type_name_of_val(&here)) {
            Some(home) => home,
            None => return,
        }
    }};
}

/// The home of this process. If it is not the one with a home, runs the test in such a one and passes its failure on.
fn home_of(inner_name: &str) -> Option<PathBuf> {
    if let Some(home) = env::var_os(INSIDE) {
        return Some(home.into());
    }
    let test = inner_name.split_once("::").unwrap().1.strip_suffix("::here").unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(env::current_exe().unwrap());
    for variable in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_COUNT"] {
        command.env_remove(variable);
    }
    let output = command
        .args(["--exact", test, "--nocapture"])
        .env(INSIDE, home.path())
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path().join("xdg"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{test}:\n{said}");
    None
}

fn names(changes: &Changes) -> Vec<String> {
    changes.files.iter().map(|file| file.path.display().to_string()).collect()
}

/// Git's directory for a worktree.
fn admin_dir(world: &World, worktree: &GitWorktree) -> PathBuf {
    world.repository.join(".git/worktrees").join(worktree.path.file_name().unwrap())
}

/// A configuration that ignores `secret`, has a filter for `*.up`, and names the user.
fn included(directory: &Path) -> PathBuf {
    write(&directory.join("ignore"), "secret\n");
    let file = directory.join("included");
    let ignore = directory.join("ignore");
    write(
        &file,
        &format!(
            "[core]\n\texcludesFile = {}\n[filter \"up\"]\n\tclean = tr a-z A-Z\n[user]\n\tname = Included \"quoted\" #1\n",
            ignore.display()
        )
        .replace("Included \"quoted\" #1", "\"Included \\\"quoted\\\" #1\""),
    );
    file
}

/// What an agent leaves: a file that only the included settings ignore, and one for their filter.
fn worked(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    write(&worktree.path.join("secret"), "password\n");
    write(&worktree.path.join(".gitattributes"), "*.up filter=up\n");
    write(&worktree.path.join("x.up"), "words\n");
    worktree
}

const SEEN: [&str; 2] = [".gitattributes", "x.up"];

/// The included settings hold for looking, saving and committing.
#[track_caller]
fn hold(world: &World, why: &str) {
    world.git(["config", "--unset-all", "user.name"]);
    let worktree = worked(world);
    for _ in 0..2 {
        let changes = worktree.changes().unwrap();
        assert_eq!(names(&changes), SEEN, "{why}");
        assert_eq!(changes.ignored, [Path::new("secret")], "{why}");
        assert!(String::from_utf8(worktree.diff().unwrap()).unwrap().contains("+WORDS"), "{why}");
    }
    assert_eq!(worktree.preview().unwrap().ignored, [Path::new("secret")], "{why}");
    let saved = worktree.snapshot().unwrap().unwrap().reference;
    assert_eq!(world.git(["show", "-s", "--format=%an", &saved]), "Included \"quoted\" #1", "{why}");
    let committed = worktree.commit_all("all of it").unwrap();
    let listed = git(&worktree.path, ["show", "--name-only", "--format=%an", committed.commit.as_str()]);
    assert_eq!(listed, "Included \"quoted\" #1\n\n.gitattributes\nx.up", "{why}");
    write(&worktree.path.join("x.up"), "more words\n");
    let removal = worktree.remove(RemoveOptions::default()).unwrap();
    assert_eq!(removal.ignored, [Path::new("secret")], "{why}");
    let reference = removal.saved.unwrap().reference;
    assert_eq!(world.git(["cat-file", "-p", &format!("{reference}:x.up")]), "MORE WORDS", "{why}");
    assert!(!try_git(&world.repository, ["cat-file", "-e", &format!("{reference}:secret")]).0, "{why}");
    world.git(["config", "user.name", "Tester"]);
}

/// Conditions that hold in the worktree of a run.
fn conditions(world: &World) -> Vec<String> {
    let root = world.root().display().to_string();
    vec![
        format!("gitdir:{root}/"),
        format!("gitdir:{root}/repo/.git/worktrees/**"),
        "gitdir:**/repo/.git/**".to_owned(),
        "gitdir/i:**/REPO/.GIT/**".to_owned(),
        "onbranch:agency/**".to_owned(),
        "hasconfig:remote.*.url:https://example.org/**".to_owned(),
    ]
}

#[test]
fn conditions_in_the_users_configuration_hold_as_in_the_worktree() {
    let home = with_home!();
    let world = World::new();
    world.git(["config", "remote.origin.url", "https://example.org/x"]);
    let file = included(&home);
    for condition in conditions(&world) {
        write(&home.join(".gitconfig"), &format!("[includeIf \"{condition}\"]\n\tpath = {}\n", file.display()));
        hold(&world, &condition);
    }
}

#[test]
fn conditions_in_the_repositorys_own_configuration_hold_as_in_the_worktree() {
    let home = with_home!();
    let file = included(&home);
    let world = World::new();
    world.git(["config", "remote.origin.url", "https://example.org/x"]);
    let config = world.repository.join(".git/config");
    let honest = fs::read_to_string(&config).unwrap();
    for condition in conditions(&world) {
        // An earlier value is replaced; a later one stands.
        let line = format!("[includeIf \"{condition}\"]\n\tpath = {}\n", file.display());
        write(&config, &format!("{honest}[core]\n\texcludesFile = /nowhere\n{line}[core]\n\tbare = false\n"));
        hold(&world, &condition);
    }
}

#[test]
fn a_setting_of_the_repository_stands_before_an_included_one_of_the_user() {
    let home = with_home!();
    let world = World::new();
    let file = included(&home);
    write(&home.join(".gitconfig"), &format!("[includeIf \"gitdir:**\"]\n\tpath = {}\n", file.display()));
    world.git(["config", "core.excludesFile", "/nowhere"]);
    let worktree = worked(&world);
    assert_eq!(names(&worktree.changes().unwrap()), [".gitattributes", "secret", "x.up"]);
}

#[test]
fn conditions_that_hold_only_for_agencys_own_directories_do_not_hold() {
    let home = with_home!();
    let world = World::new();
    let file = included(&home);
    let looks = world.root().join("home/runs");
    let lines = ["gitdir:**/agency-git-*".to_owned(), format!("gitdir:{}/", looks.display())];
    let lines = lines.map(|condition| format!("[includeIf \"{condition}\"]\n\tpath = {}\n", file.display()));
    write(&home.join(".gitconfig"), &lines.concat());
    let worktree = worked(&world);
    fs::create_dir_all(worktree.looks.as_ref().unwrap().parent().unwrap()).unwrap();
    for _ in 0..2 {
        assert_eq!(names(&worktree.changes().unwrap()), [".gitattributes", "secret", "x.up"]);
    }
    assert!(worktree.preview().unwrap().ignored.is_empty());
    assert_eq!(worktree.commit_all("all").unwrap().files, 3);
}

/// Whatever an agent writes into git's entry, conditions of the user decide as before, and nothing is added.
#[test]
fn what_an_agent_writes_for_its_worktree_adds_no_setting_and_no_condition() {
    let home = with_home!();
    let world = World::new();
    world.git(["config", "extensions.worktreeConfig", "true"]);
    let file = included(&home);
    let config = format!("[includeIf \"hasconfig:remote.*.url:https://evil/**\"]\n\tpath = {}\n", file.display());
    write(&home.join(".gitconfig"), &config);
    let contents = [
        format!("[include]\n\tpath = {}\n", file.display()),
        "[remote \"x\"]\n\turl = https://evil/x\n".to_owned(),
        "not a configuration".to_owned(),
    ];
    for content in contents {
        let worktree = worked(&world);
        write(&admin_dir(&world, &worktree).join("config.worktree"), &content);
        assert_eq!(names(&worktree.changes().unwrap()), [".gitattributes", "secret", "x.up"], "{content}");
    }
    let worktree = worked(&world);
    let pipe = admin_dir(&world, &worktree).join("config.worktree");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(names(&worktree.changes().unwrap()), [".gitattributes", "secret", "x.up"]);
    fs::remove_file(&pipe).unwrap();
    // Damage to the entry does not switch the user's settings off.
    let root = world.root();
    write(
        &home.join(".gitconfig"),
        &format!("[includeIf \"gitdir:{}/\"]\n\tpath = {}\n", root.display(), file.display()),
    );
    for damaged in ["HEAD", "commondir"] {
        fs::write(admin_dir(&world, &worktree).join(damaged), "rubbish").unwrap();
        if let Ok(changes) = worktree.changes() {
            assert_eq!(names(&changes), SEEN, "{damaged}");
        }
    }
}
