//! Nothing that an agent wrote into its worktree, its `.git` or git's entry for it runs when agency looks or saves.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use agency_workspace::{Changes, GitWorktree, InPlace, RemoveOptions, Workspace};

use crate::world::{World, git, try_git, write};

/// Something that goes wrong in a directory.
type Damage = fn(&Path);

/// A program that notes that it ran and passes its input on.
struct Witness {
    program: PathBuf,
    note: PathBuf,
}

impl Witness {
    fn new(world: &World) -> Self {
        let (program, note) = (world.root().join("program"), world.root().join("ran"));
        write(&program, &format!("#!/bin/sh\necho \"$0 $@\" >> '{}'\ncat\n", note.display()));
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { program, note }
    }

    /// A configuration that makes git run the program wherever it can.
    fn config(&self) -> String {
        let program = self.program.display();
        format!(
            "[core]\n\tfsmonitor = {program}\n\thooksPath = {}\n[filter \"x\"]\n\tclean = {program}\n\tprocess =\n\
             [diff \"x\"]\n\ttextconv = {program}\n\tcommand = {program}\n[diff]\n\texternal = {program}\n",
            self.program.parent().unwrap().display()
        )
    }

    #[track_caller]
    fn did_not_run(&self) {
        assert!(!self.note.exists(), "{}", fs::read_to_string(&self.note).unwrap());
    }
}

/// Git's directory for a worktree.
fn admin_dir(world: &World, worktree: &GitWorktree) -> PathBuf {
    world.repository.join(".git/worktrees").join(worktree.path.file_name().unwrap())
}

fn names(changes: &Changes) -> Vec<String> {
    changes.files.iter().map(|file| file.path.display().to_string()).collect()
}

/// A worktree with a changed file, to which attributes of the agent apply.
fn worked(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    write(&worktree.path.join(".gitattributes"), "* filter=x diff=x\n");
    write(&worktree.path.join("a.txt"), "changed\n");
    worktree
}

/// A file of the work that was saved before a removal.
fn saved(world: &World, worktree: &GitWorktree, file: &str) -> Option<String> {
    let name = format!("{}:{file}", worktree.run.saved_work_ref());
    let (found, text) = try_git(&world.repository, ["cat-file", "-p", &name]);
    found.then_some(text)
}

/// Looks twice, since the second look uses what the first one kept, and saves.
#[track_caller]
fn looked_at(worktree: &GitWorktree) {
    for _ in 0..2 {
        assert_eq!(names(&worktree.changes().unwrap()), [".gitattributes", "a.txt"]);
        let diff = String::from_utf8(worktree.diff().unwrap()).unwrap();
        assert!(diff.contains("+changed"), "{diff}");
    }
    assert_eq!(worktree.snapshot().unwrap().unwrap().files, 2);
}

#[test]
fn a_configuration_for_the_worktree_runs_nothing() {
    let world = World::new();
    let witness = Witness::new(&world);
    let worktree = worked(&world);
    world.git(["config", "extensions.worktreeConfig", "true"]);
    write(&admin_dir(&world, &worktree).join("config.worktree"), &witness.config());
    write(&admin_dir(&world, &worktree).join("info/attributes"), "* filter=x\n");
    looked_at(&worktree);
    worktree.remove(RemoveOptions::default()).unwrap();
    assert_eq!(saved(&world, &worktree, "a.txt").as_deref(), Some("changed"));
    witness.did_not_run();
}

/// Every way in which an agent can point git at a repository of its own.
#[test]
fn a_repository_of_the_agent_is_never_used_instead_of_the_recorded_one() {
    let world = World::new();
    let witness = Witness::new(&world);
    let own = world.root().join("own");
    git(&world.root(), ["init", "-q", own.to_str().unwrap()]);
    write(&own.join(".git/config"), &format!("[core]\n\trepositoryformatversion = 0\n{}", witness.config()));
    let redirections: [fn(&World, &GitWorktree, &Path); 4] = [
        |world, worktree, own| write(&admin_dir(world, worktree).join("commondir"), &own.display().to_string()),
        |world, worktree, own| write(&admin_dir(world, worktree).join("gitdir"), &own.display().to_string()),
        |_, worktree, own| write(&worktree.path.join(".git"), &format!("gitdir: {}\n", own.display())),
        |_, worktree, own| {
            fs::remove_file(worktree.path.join(".git")).unwrap();
            let copied = std::process::Command::new("cp").arg("-r").arg(own).arg(worktree.path.join(".git")).status();
            assert!(copied.unwrap().success());
        },
    ];
    for redirect in redirections {
        let worktree = worked(&world);
        redirect(&world, &worktree, &own.join(".git"));
        // It may be refused, or it is looked at as part of the recorded repository.
        let _ = (worktree.changes(), worktree.diff());
        let _ = worktree.remove(RemoveOptions::default());
        witness.did_not_run();
        assert!(worktree.path.join("a.txt").exists() || saved(&world, &worktree, "a.txt").is_some(), "nothing is lost");
    }
}

#[test]
fn a_lost_or_damaged_head_or_index_does_not_hide_files() {
    let world = World::new();
    let damages: [(&str, Damage); 8] = [
        ("no index", |admin| fs::remove_file(admin.join("index")).unwrap()),
        ("rubbish", |admin| fs::write(admin.join("index"), b"rubbish").unwrap()),
        ("empty", |admin| fs::write(admin.join("index"), b"").unwrap()),
        ("cut off", |admin| {
            let content = fs::read(admin.join("index")).unwrap();
            fs::write(admin.join("index"), &content[..content.len() / 2]).unwrap();
        }),
        ("shared part is missing", |admin| {
            fs::write(
                admin.join("index"),
                b"DIRC\0\0\0\x02\0\0\0\0link\0\0\0\x14aaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbb",
            )
            .unwrap();
        }),
        ("a pipe", |admin| {
            fs::remove_file(admin.join("index")).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(admin.join("index")).status().unwrap().success());
        }),
        ("HEAD is rubbish", |admin| fs::write(admin.join("HEAD"), b"ref: refs/heads/../../../x\n").unwrap()),
        ("HEAD is missing", |admin| fs::remove_file(admin.join("HEAD")).unwrap()),
    ];
    for (what, damage) in damages {
        let worktree = worked(&world);
        damage(&admin_dir(&world, &worktree));
        let Ok(changes) = worktree.changes() else {
            // Without HEAD git does not list the worktree: it is refused until that is repaired.
            assert!(what.starts_with("HEAD"), "{what}");
            continue;
        };
        assert_eq!(names(&changes), [".gitattributes", "a.txt"], "{what}");
        assert_eq!(worktree.snapshot().unwrap().unwrap().files, 2, "{what}");
    }
}

#[test]
fn a_split_index_and_a_large_format_are_read() {
    for setting in [["core.splitIndex", "true"], ["index.version", "4"]] {
        let world = World::new();
        world.git(["config", setting[0], setting[1]]);
        let worktree = worked(&world);
        write(&worktree.path.join(".gitignore"), "*.log\n");
        write(&worktree.path.join("kept.log"), "x\n");
        git(&worktree.path, ["add", "-f", "kept.log", "a.txt"]);
        assert_eq!(names(&worktree.changes().unwrap()), [".gitattributes", ".gitignore", "a.txt", "kept.log"]);
        assert_eq!(worktree.snapshot().unwrap().unwrap().files, 4, "{setting:?}");
    }
}

/// What the user configured goes on working, as LFS does.
#[test]
fn a_filter_of_the_repositorys_own_configuration_still_runs() {
    let world = World::new();
    world.git(["config", "filter.x.clean", "tr a-z A-Z"]);
    let worktree = worked(&world);
    assert!(String::from_utf8(worktree.diff().unwrap()).unwrap().contains("+CHANGED"));
    worktree.remove(RemoveOptions::default()).unwrap();
    assert_eq!(saved(&world, &worktree, "a.txt").as_deref(), Some("CHANGED"));
}

/// Git knows such a file without reading it, and would compare it as it is in the working tree.
#[test]
fn a_filter_still_runs_on_a_file_that_was_written_long_before_the_look() {
    let world = World::new();
    world.git(["config", "filter.x.clean", "tr a-z A-Z"]);
    let worktree = worked(&world);
    let written = fs::File::options().append(true).open(worktree.path.join("a.txt")).unwrap();
    written.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    for _ in 0..2 {
        let diff = String::from_utf8(worktree.diff().unwrap()).unwrap();
        assert!(diff.contains("+CHANGED"), "{diff}");
    }
}

#[test]
fn a_repository_inside_is_not_entered_and_counts_as_not_saved() {
    let world = World::new();
    let witness = Witness::new(&world);
    let worktree = world.prepared();
    let sub = worktree.path.join("sub");
    git(&worktree.path, ["init", "-q", "sub"]);
    write(&sub.join("file"), "x");
    git(&sub, ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"]);
    write(&sub.join(".gitattributes"), "* filter=x\n");
    write(&sub.join(".git/config"), &format!("[core]\n\trepositoryformatversion = 0\n{}", witness.config()));
    for linked in [false, true] {
        if linked {
            let commit = fs::read_to_string(sub.join(".git/refs/heads/master"))
                .or_else(|_| fs::read_to_string(sub.join(".git/refs/heads/main")))
                .unwrap();
            let link = format!("160000,{},sub", commit.trim());
            git(&worktree.path, ["update-index", "--add", "--cacheinfo", &link]);
            git(&worktree.path, ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "link"]);
        }
        for _ in 0..2 {
            assert_eq!(worktree.changes().unwrap().nested, [Path::new("sub")], "linked: {linked}");
            worktree.diff().unwrap();
        }
        let refused = worktree.remove(RemoveOptions::default()).unwrap_err();
        assert!(refused.to_string().contains("'sub'"), "{refused}");
        worktree.snapshot().unwrap();
        witness.did_not_run();
    }
    worktree.remove(RemoveOptions { force: true, ..RemoveOptions::default() }).unwrap();
    witness.did_not_run();
}

#[test]
fn the_configuration_of_a_submodule_is_not_used() {
    let (world, library) = (World::new(), World::new());
    let witness = Witness::new(&world);
    let allow = "protocol.file.allow=always";
    world.git(["-c", allow, "submodule", "--quiet", "add", library.repository.to_str().unwrap(), "lib"]);
    world.git(["commit", "-q", "-m", "submodule"]);
    let worktree = world.prepared();
    git(&worktree.path, ["-c", allow, "submodule", "--quiet", "update", "--init"]);
    let config = admin_dir(&world, &worktree).join("modules/lib/config");
    let honest = fs::read_to_string(&config).unwrap();
    write(&config, &format!("{honest}{}", witness.config()));
    assert!(worktree.changes().unwrap().nested.is_empty());
    write(&worktree.path.join("lib/a.txt"), "changed");
    write(&worktree.path.join("lib/.gitattributes"), "* filter=x\n");
    assert_eq!(worktree.changes().unwrap().nested, [Path::new("lib")]);
    assert!(worktree.remove(RemoveOptions::default()).is_err());
    witness.did_not_run();
}

/// `--assume-unchanged` and `--skip-worktree` hide edits from git, not from agency.
#[test]
fn edits_that_the_index_hides_are_shown_and_saved() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let world = World::new();
        let worktree = world.prepared();
        git(&worktree.path, ["update-index", flag, "a.txt"]);
        assert!(worktree.changes().unwrap().files.is_empty());
        write(&worktree.path.join("a.txt"), "hidden\n");
        assert_eq!(git(&worktree.path, ["status", "--porcelain"]), "", "git itself does not see it");
        for _ in 0..2 {
            assert_eq!(names(&worktree.changes().unwrap()), ["a.txt"], "{flag}");
        }
        assert!(String::from_utf8(worktree.diff().unwrap()).unwrap().contains("+hidden"));
        worktree.remove(RemoveOptions::default()).unwrap();
        assert_eq!(saved(&world, &worktree, "a.txt").as_deref(), Some("hidden"), "{flag}");
    }
}

#[test]
fn in_a_sparse_checkout_nothing_is_deleted_and_nothing_hidden() {
    for sparse_index in ["--no-sparse-index", "--sparse-index"] {
        let world = World::new();
        let worktree = world.prepared();
        git(&worktree.path, ["sparse-checkout", "set", sparse_index, "other"]);
        assert!(!worktree.path.join("dir").exists());
        for _ in 0..2 {
            assert!(worktree.changes().unwrap().files.is_empty(), "{sparse_index}");
        }
        write(&worktree.path.join("dir/b.txt"), "edited outside of the cone\n");
        assert_eq!(names(&worktree.changes().unwrap()), ["dir/b.txt"], "{sparse_index}");
        worktree.remove(RemoveOptions::default()).unwrap();
        assert_eq!(saved(&world, &worktree, "dir/b.txt").as_deref(), Some("edited outside of the cone"));
        assert_eq!(saved(&world, &worktree, "a.txt").as_deref(), Some("one\ntwo"));
    }
}

#[test]
fn in_place_the_agents_settings_for_a_worktree_run_nothing() {
    let world = World::new();
    let witness = Witness::new(&world);
    world.git(["config", "extensions.worktreeConfig", "true"]);
    let users = world.root().join("users");
    world.git(["worktree", "add", "-q", "-b", "mine", users.to_str().unwrap()]);
    write(&world.repository.join(".git/worktrees/users/config.worktree"), &witness.config());
    write(&users.join(".gitattributes"), "* filter=x\n");
    write(&users.join("a.txt"), "changed\n");
    let workspace = InPlace {
        repository: users,
        base: world.head(),
        worktrees_root: world.root().join("home/worktrees"),
        looks: None,
    };
    assert_eq!(names(&workspace.changes().unwrap()), [".gitattributes", "a.txt"]);
    workspace.diff().unwrap();
    witness.did_not_run();
}

#[test]
fn settings_that_the_agent_puts_beside_the_index_cache_run_nothing() {
    let world = World::new();
    let witness = Witness::new(&world);
    world.git(["config", "extensions.worktreeConfig", "true"]);
    let looks = world.root().join("run/git");
    fs::create_dir_all(&looks).unwrap();
    let worktree = GitWorktree { looks: Some(looks.clone()), ..worked(&world) };
    for _ in 0..2 {
        for name in ["config.worktree", "config", "info/attributes", "hooks/post-index-change"] {
            write(&looks.join(name), &witness.config());
        }
        assert_eq!(names(&worktree.changes().unwrap()), [".gitattributes", "a.txt"]);
        worktree.diff().unwrap();
        witness.did_not_run();
    }
}

#[test]
fn a_link_in_the_place_of_the_index_cache_is_not_followed() {
    let world = World::new();
    let (run, victim) = (world.root().join("run"), world.root().join("victim"));
    fs::create_dir(&run).unwrap();
    write(&victim.join("HEAD"), "precious");
    std::os::unix::fs::symlink(&victim, run.join("git")).unwrap();
    let worktree = GitWorktree { looks: Some(run.join("git")), ..worked(&world) };
    assert_eq!(names(&worktree.changes().unwrap()), [".gitattributes", "a.txt"]);
    assert_eq!(fs::read_to_string(victim.join("HEAD")).unwrap(), "precious");
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 1);
}

#[test]
fn a_stash_in_a_submodule_counts_as_not_saved() {
    let (world, library) = (World::new(), World::new());
    let allow = "protocol.file.allow=always";
    world.git(["-c", allow, "submodule", "--quiet", "add", library.repository.to_str().unwrap(), "lib"]);
    world.git(["commit", "-q", "-m", "submodule"]);
    let worktree = world.prepared();
    git(&worktree.path, ["-c", allow, "submodule", "--quiet", "update", "--init"]);
    assert!(worktree.changes().unwrap().nested.is_empty());
    let lib = worktree.path.join("lib");
    write(&lib.join("a.txt"), "precious\n");
    git(&lib, ["add", "a.txt"]);
    git(&lib, ["-c", "user.name=a", "-c", "user.email=a@b", "stash", "-q"]);
    assert_eq!(worktree.changes().unwrap().nested, [Path::new("lib")]);
    let refused = worktree.remove(RemoveOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("'lib'"), "{refused}");
}

#[test]
fn attributes_that_stop_git_hide_nothing_and_keep_nothing_from_being_saved() {
    let failing = "* filter=broken\n";
    for attributes in ["*.c working-tree-encoding=UTF-16\n", failing] {
        let world = World::new();
        for (key, value) in [("clean", "false"), ("required", "true")] {
            world.git(["config", &format!("filter.broken.{key}"), value]);
        }
        let worktree = world.prepared();
        write(&worktree.path.join(".gitattributes"), attributes);
        write(&worktree.path.join("x.c"), "odd\n");
        write(&worktree.path.join("a.txt"), "changed\n");
        for _ in 0..2 {
            assert_eq!(names(&worktree.changes().unwrap()), [".gitattributes", "a.txt", "x.c"], "{attributes}");
            assert!(String::from_utf8(worktree.diff().unwrap()).unwrap().contains("+changed"));
        }
        worktree.remove(RemoveOptions::default()).unwrap();
        assert_eq!(saved(&world, &worktree, "x.c").as_deref(), Some("odd"), "{attributes}");
        assert_eq!(saved(&world, &worktree, "a.txt").as_deref(), Some("changed"), "{attributes}");
    }
}
