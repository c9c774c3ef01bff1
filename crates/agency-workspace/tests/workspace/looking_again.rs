//! The second look uses what the first one kept, and shows what changed since.

use std::fs::{self, File};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use agency_workspace::{Changes, FileStatus, GitWorktree, RemoveOptions, Workspace};

use crate::world::{World, commit_all, git, write};

/// Something that goes wrong in a directory.
type Damage = fn(&Path);

fn names(changes: &Changes) -> Vec<String> {
    changes.files.iter().map(|file| file.path.display().to_string()).collect()
}

/// A worktree with a directory to keep looks in.
fn prepared(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    fs::create_dir_all(worktree.looks.as_ref().unwrap().parent().unwrap()).unwrap();
    worktree
}

/// What a look without anything kept shows.
fn fresh(worktree: &GitWorktree) -> (Changes, Vec<u8>) {
    let worktree = GitWorktree { looks: None, ..worktree.clone() };
    (worktree.changes().unwrap(), worktree.diff().unwrap())
}

/// The kept look shows the same as a fresh one.
#[track_caller]
fn same_as_fresh(worktree: &GitWorktree, what: &str) {
    let (changes, diff) = fresh(worktree);
    assert_eq!(worktree.changes().unwrap(), changes, "{what}");
    assert_eq!(String::from_utf8(worktree.diff().unwrap()).unwrap(), String::from_utf8(diff).unwrap(), "{what}");
    // Once more, now from the results.
    assert_eq!(worktree.changes().unwrap(), changes, "{what}");
}

#[test]
fn a_change_of_the_same_size_in_the_same_second_is_seen() {
    let world = World::new();
    let worktree = prepared(&world);
    let (tracked, new) = (worktree.path.join("a.txt"), worktree.path.join("new"));
    for round in 0..20 {
        write(&tracked, &format!("round {round:02}\n"));
        write(&new, &format!("round {round:02}\n"));
        let diff = String::from_utf8(worktree.diff().unwrap()).unwrap();
        assert_eq!(diff.matches(&format!("+round {round:02}")).count(), 2, "{diff}");
    }
}

/// Only the time of the last change of the file's own data tells.
#[test]
fn a_change_whose_time_was_set_back_is_seen() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = worktree.path.join("new");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for text in ["first\n", "other\n", "third\n"] {
        write(&path, text);
        File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
        let diff = String::from_utf8(worktree.diff().unwrap()).unwrap();
        assert!(diff.contains(&format!("+{text}")), "{diff}");
    }
}

#[test]
fn whatever_the_agent_does_between_two_looks_is_seen() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    write(&path.join("new/one"), "1\n");
    write(&path.join(".gitignore"), "*.log\n");
    same_as_fresh(&worktree, "untracked");
    write(&path.join("kept.log"), "x\n");
    same_as_fresh(&worktree, "ignored");
    git(path, ["add", "-f", "kept.log"]);
    same_as_fresh(&worktree, "ignored, but added");
    git(path, ["rm", "-q", "--cached", "kept.log"]);
    same_as_fresh(&worktree, "ignored again");
    write(&path.join("later"), "later\n");
    same_as_fresh(&worktree, "one more");
    write(&path.join(".gitignore"), "*.log\nlater\n");
    same_as_fresh(&worktree, "ignored later on");
    write(&path.join(".gitignore"), "*.log\n");
    same_as_fresh(&worktree, "not ignored any more");
    fs::remove_file(path.join("a.txt")).unwrap();
    same_as_fresh(&worktree, "deleted");
    commit_all(path, "work");
    same_as_fresh(&worktree, "committed");
    git(path, ["reset", "-q", "--soft", worktree.base.as_str()]);
    same_as_fresh(&worktree, "reset softly");
    git(path, ["reset", "-q", "--hard", worktree.base.as_str()]);
    same_as_fresh(&worktree, "reset");
    git(path, ["checkout", "-q", "-b", "other"]);
    write(&path.join("other"), "x\n");
    commit_all(path, "elsewhere");
    same_as_fresh(&worktree, "another branch");
    git(path, ["checkout", "-q", &worktree.branch]);
    same_as_fresh(&worktree, "back");
    write(&path.join("vendor/file"), "x\n");
    same_as_fresh(&worktree, "a directory");
    git(path, ["init", "-q", "vendor"]);
    same_as_fresh(&worktree, "which became a repository");
    fs::remove_dir_all(path.join("vendor")).unwrap();
    write(&path.join("vendor"), "now a file\n");
    same_as_fresh(&worktree, "and then a file");
    crate::saving::conflict(&world, path);
    same_as_fresh(&worktree, "conflicts");
    assert_eq!(worktree.changes().unwrap().files[0].status, FileStatus::Modified);
}

#[test]
fn many_untracked_files_are_shown_and_need_one_pack() {
    let world = World::new();
    let worktree = prepared(&world);
    for number in 0..300 {
        write(&worktree.path.join(format!("many/{number:03}")), &format!("{number}\n"));
    }
    same_as_fresh(&worktree, "many");
    let packs = fs::read_dir(worktree.looks.as_ref().unwrap().join("objects/pack")).unwrap();
    assert_eq!(packs.flatten().filter(|file| file.path().extension().is_some_and(|end| end == "pack")).count(), 1);
    write(&worktree.path.join("many/007"), "bond\n");
    same_as_fresh(&worktree, "one of them changed");
}

#[test]
fn several_looks_at_once_show_the_same() {
    let world = World::new();
    let worktree = prepared(&world);
    for number in 0..200 {
        write(&worktree.path.join(format!("many/{number:03}")), &format!("{number}\n"));
    }
    let expected = fresh(&worktree).0;
    thread::scope(|scope| {
        let looks: Vec<_> = (0..4).map(|_| scope.spawn(|| worktree.changes().unwrap())).collect();
        for look in looks {
            assert_eq!(look.join().unwrap(), expected);
        }
    });
}

/// A kill leaves locks, half an index or half the objects.
#[test]
fn whatever_was_left_in_the_kept_directory_the_look_is_right() {
    let world = World::new();
    let worktree = prepared(&world);
    for number in 0..100 {
        let path = worktree.path.join(format!("many/{number:03}"));
        write(&path, &format!("{number}\n"));
        // Files that are younger than the index are read again in any case.
        fs::File::open(path).unwrap().set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }
    let looks = worktree.looks.clone().unwrap();
    let damages: [(&str, Damage); 6] = [
        ("a lock of git", |looks| fs::write(looks.join("index.lock"), b"").unwrap()),
        ("no objects", |looks| fs::remove_dir_all(looks.join("objects")).unwrap()),
        ("rubbish as index", |looks| fs::write(looks.join("index"), b"rubbish").unwrap()),
        ("no index", |looks| fs::remove_file(looks.join("index")).unwrap()),
        ("a directory as index", |looks| {
            fs::remove_file(looks.join("index")).unwrap();
            fs::create_dir(looks.join("index")).unwrap();
        }),
        ("everything gone", |looks| fs::remove_dir_all(looks).unwrap()),
    ];
    for (what, damage) in damages {
        worktree.changes().unwrap();
        damage(&looks);
        // What was computed before is not used when there is something new.
        write(&worktree.path.join("new"), what);
        same_as_fresh(&worktree, what);
    }
}

#[test]
fn where_nothing_can_be_kept_the_look_is_made_anyway() {
    let world = World::new();
    let worktree = prepared(&world);
    write(&worktree.path.join("new"), "x\n");
    let looks = worktree.looks.clone().unwrap();
    fs::write(&looks, "in the way").unwrap();
    assert_eq!(names(&worktree.changes().unwrap()), ["new"]);
    let nowhere = GitWorktree { looks: Some("/nonexistent/run/git".into()), ..worktree };
    assert_eq!(names(&nowhere.changes().unwrap()), ["new"]);
}

#[test]
fn what_is_kept_goes_with_the_worktree() {
    let world = World::new();
    let worktree = prepared(&world);
    write(&worktree.path.join("new"), "x\n");
    worktree.changes().unwrap();
    let looks = worktree.looks.clone().unwrap();
    assert!(looks.join("index").exists());
    worktree.remove(RemoveOptions::default()).unwrap();
    assert!(!looks.exists());
}
