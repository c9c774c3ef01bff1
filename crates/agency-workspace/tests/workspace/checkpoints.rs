//! Checkpoints record the files of a worktree after each turn, and nothing of the agent's changes by it.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;

use agency_workspace::{
    CheckpointCause, CheckpointMoment, GitWorktree, PatchContext, RemoveOptions, Repository, TakenCheckpoint,
    Workspace, last_checkpoints,
};

use crate::world::{World, commit_all, executable, git, try_git, write};

/// The end of a turn of the worktree's own run.
pub(crate) fn turn(worktree: &GitWorktree, number: u32) -> CheckpointMoment {
    CheckpointMoment {
        turn: Some(number),
        event: Some(u64::from(number) * 10),
        conversation: Some("c-1".to_owned()),
        ..CheckpointMoment::of(worktree.run.clone(), CheckpointCause::Turn)
    }
}

pub(crate) fn take(worktree: &GitWorktree) -> TakenCheckpoint {
    worktree.take_checkpoint(&turn(worktree, 1)).unwrap()
}

/// A worktree with a directory for the index that is kept.
pub(crate) fn prepared(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    fs::create_dir_all(worktree.looks.as_ref().unwrap().parent().unwrap()).unwrap();
    worktree
}

/// The number of the last checkpoint.
pub(crate) fn number(taken: &TakenCheckpoint) -> u32 {
    taken.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.number)
}

/// The names in a tree.
fn names(world: &World, tree: &str) -> Vec<String> {
    world
        .git(["ls-tree", "-r", "-z", "--name-only", tree])
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

fn object_count(world: &World) -> String {
    world.git(["count-objects"])
}

#[test]
fn each_turn_that_changed_something_is_a_commit_on_one_ref() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    assert_eq!(number(&take(&worktree)), 0, "nothing changed yet");
    assert!(worktree.last_checkpoint().unwrap().is_none());
    write(&path.join("new"), "1\n");
    write(&path.join("a.txt"), "changed\n");
    let first = worktree.take_checkpoint(&turn(&worktree, 1)).unwrap();
    assert_eq!((number(&first), first.is_new, first.files), (1, true, 2));
    commit_all(path, "work");
    fs::remove_file(path.join("new")).unwrap();
    let second = worktree.take_checkpoint(&turn(&worktree, 2)).unwrap();
    assert_eq!((number(&second), second.files), (2, 1));
    let checkpoints = worktree.checkpoints().unwrap();
    assert_eq!(checkpoints.iter().map(|checkpoint| checkpoint.number).collect::<Vec<_>>(), [2, 1]);
    let last = &checkpoints[0];
    assert_eq!(last.moment, turn(&worktree, 2));
    assert_eq!(last.head.as_ref().unwrap().as_str(), git(path, ["rev-parse", "HEAD"]));
    assert_eq!(checkpoints[1].head.as_ref(), Some(&worktree.base));
    assert!(last.taken_at > 1_000_000_000);
    assert_eq!(worktree.last_checkpoint().unwrap().as_ref(), Some(last));
    assert_eq!(names(&world, &last.tree), ["a.txt", "dir/b.txt"]);
    let parents = world.git(["log", "-1", "--format=%P", &worktree.run.checkpoints_ref()]);
    assert_eq!(parents, format!("{} {}", checkpoints[1].commit, last.head.as_ref().unwrap()));
    let changed = worktree.compare_trees(&checkpoints[1].tree, &last.tree).unwrap();
    assert_eq!(changed.len(), 1);
    let patch = worktree.diff_trees(&checkpoints[1].tree, &last.tree, PatchContext::Usual).unwrap();
    assert!(String::from_utf8(patch).unwrap().contains("deleted file mode"));
    let all = last_checkpoints(&Repository::open(&world.repository).unwrap()).unwrap();
    assert_eq!(all, [(worktree.run.clone(), last.clone())]);
}

#[test]
fn while_nothing_changes_no_object_is_written_and_no_ref_moves() {
    let world = World::new();
    let worktree = prepared(&world);
    write(&worktree.path.join("new"), "1\n");
    let first = take(&worktree);
    let (objects, refs) = (object_count(&world), world.git(["for-each-ref"]));
    for _ in 0..3 {
        let again = take(&worktree);
        assert!(!again.is_new);
        assert_eq!(number(&again), 1);
        // Only the times of the file differ.
        write(&worktree.path.join("new"), "1\n");
    }
    commit_all(&worktree.path, "the same files");
    assert_eq!(number(&take(&worktree)), 1);
    assert_eq!(
        world.git(["for-each-ref", "refs/agency"]),
        refs.lines().filter(|line| line.contains("refs/agency/")).collect::<Vec<_>>().join("\n")
    );
    assert_eq!(first.checkpoint.unwrap().tree, git(&worktree.path, ["rev-parse", "HEAD^{tree}"]));
    assert_eq!(objects, {
        // The agent's own commit is one object; its files were there.
        let after = object_count(&world);
        let count = |text: &str| text.split(' ').next().unwrap().parse::<u32>().unwrap();
        after
            .replacen(&count(&after).to_string(), &(count(&after) - 1).to_string(), 1)
            .split(',')
            .next()
            .unwrap()
            .to_owned()
            + &objects[objects.find(',').unwrap()..]
    });
}

#[test]
fn nothing_of_the_agents_changes() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    write(&path.join("staged"), "1\n");
    git(path, ["add", "staged"]);
    write(&path.join("staged"), "2\n");
    write(&path.join("untracked"), "3\n");
    let admin = git(path, ["rev-parse", "--absolute-git-dir"]);
    let state = || {
        let files = ["index", "HEAD", "logs/HEAD"].map(|name| fs::read(Path::new(&admin).join(name)).unwrap());
        (files, git(path, ["rev-parse", &worktree.branch]), world.git(["reflog", "show", &worktree.branch]))
    };
    let before = state();
    take(&worktree);
    write(&path.join("untracked"), "4\n");
    take(&worktree);
    assert_eq!(state(), before);
    assert_eq!(git(path, ["status", "--porcelain"]), "AM staged\n?? untracked");
}

#[test]
fn what_may_be_secret_or_is_ignored_stays_out_of_the_object_store() {
    let world = World::new();
    world.write("tracked.key", "public\n");
    commit_all(&world.repository, "a tracked key");
    let worktree = prepared(&world);
    let path = &worktree.path;
    write(&path.join(".gitignore"), "ignored\n");
    for name in [".env", "deep/.env.local", "server.pem", "id_rsa", "aws_credentials.json", "ignored"] {
        write(&path.join(name), "secret of the user\n");
    }
    write(&path.join("tracked.key"), "changed\n");
    write(&path.join(".env.example"), "KEY=\n");
    let taken = take(&worktree);
    let left_out: Vec<String> = taken.left_out.iter().map(|path| path.display().to_string()).collect();
    assert_eq!(left_out, [".env", "aws_credentials.json", "deep/.env.local", "id_rsa", "server.pem"]);
    let tree = taken.checkpoint.unwrap().tree;
    assert_eq!(names(&world, &tree), [".env.example", ".gitignore", "a.txt", "dir/b.txt", "tracked.key"]);
    let secret = world.git(["hash-object", &path.join(".env").display().to_string()]);
    assert!(!try_git(&world.repository, ["cat-file", "-e", &secret]).0, "the secret is in the repository");
}

#[test]
fn odd_names_and_settings_of_the_agent_do_nothing() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    let witness = world.root().join("witness");
    let odd: &[&[u8]] = &[b"new\nline", b"-rf", b":(exclude)x", b"\xff\xfe", b"tab\tname", b"quote\"'", b"*", b" lead"];
    for name in odd {
        fs::write(path.join(std::ffi::OsStr::from_bytes(name)), "x\n").unwrap();
    }
    write(&path.join(".gitattributes"), "* filter=evil diff=evil\n");
    let script = world.root().join("evil");
    executable(&script, &format!("touch '{}'", witness.display()));
    world.git(["config", "extensions.worktreeConfig", "true"]);
    for (key, value) in [("filter.evil.clean", &script), ("core.fsmonitor", &script), ("diff.evil.command", &script)] {
        git(path, ["config", "--worktree", key, &value.display().to_string()]);
    }
    let admin = git(path, ["rev-parse", "--absolute-git-dir"]);
    executable(&Path::new(&admin).join("hooks/reference-transaction"), &format!("touch '{}'", witness.display()));
    let taken = take(&worktree);
    assert_eq!(taken.files, odd.len() + 1);
    let tree = taken.checkpoint.unwrap().tree;
    worktree.diff_trees(worktree.base.as_str(), &tree, PatchContext::Usual).unwrap();
    assert!(!witness.exists());
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_are_recorded() {
    if rustix::process::geteuid().is_root() {
        // Root reads everything, so a kind of file that git refuses takes its place.
        return;
    }
    let world = World::new();
    let worktree = prepared(&world);
    write(&worktree.path.join("closed"), "x\n");
    write(&worktree.path.join("open"), "x\n");
    fs::set_permissions(worktree.path.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let taken = take(&worktree);
    assert!(taken.complaint.unwrap().contains("closed"));
    assert_eq!(names(&world, &taken.checkpoint.unwrap().tree), ["a.txt", "dir/b.txt", "open"]);
}

#[test]
fn what_an_agent_put_in_the_place_of_the_ref_is_moved_and_not_lost() {
    let world = World::new();
    let worktree = prepared(&world);
    let reference = worktree.run.checkpoints_ref();
    let head = world.head().to_string();
    write(&worktree.path.join("new"), "1\n");
    let places: [(&str, &dyn Fn()); 3] = [
        ("a commit of its own", &|| drop(world.git(["update-ref", &reference, &head]))),
        ("a symbolic ref", &|| drop(world.git(["symbolic-ref", &reference, "refs/heads/main"]))),
        ("a ref below it", &|| drop(world.git(["update-ref", &format!("{reference}/below"), &head]))),
    ];
    for (what, place) in places {
        place();
        assert_eq!(number(&take(&worktree)), 1, "{what}");
        assert_eq!(world.head().to_string(), head, "{what}");
        world.git(["update-ref", "-d", &reference]);
    }
    assert_eq!(world.git(["for-each-ref", "--format=%(objectname)", "refs/agency/saved"]).lines().count(), 2);
}

#[test]
fn a_history_that_an_agent_wrote_ends_the_list() {
    let world = World::new();
    let worktree = prepared(&world);
    write(&worktree.path.join("new"), "1\n");
    take(&worktree);
    let tip = world.git(["rev-parse", &worktree.run.checkpoints_ref()]);
    let message = format!("Checkpoint 4000000000\n\nRun: {}\nCause: turn\n", worktree.run);
    let forged = world.git(["commit-tree", "-m", &message, "-p", &tip, "-p", "HEAD", "HEAD^{tree}"]);
    world.git(["update-ref", &worktree.run.checkpoints_ref(), &forged]);
    assert_eq!(worktree.checkpoints().unwrap().len(), 1);
    // Checkpoints are taken on top of it nevertheless.
    assert_eq!(number(&take(&worktree)), 4_000_000_001);
}

#[test]
fn two_at_once_make_one_checkpoint() {
    let world = World::new();
    let worktree = prepared(&world);
    for number in 0..50 {
        write(&worktree.path.join(format!("many/{number}")), "x\n");
    }
    thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| take(&worktree))).collect();
        for one in all {
            assert_eq!(number(&one.join().unwrap()), 1);
        }
    });
    assert_eq!(worktree.checkpoints().unwrap().len(), 1);
}

#[test]
fn two_hundred_turns_are_two_hundred_commits_and_one_ref() {
    let world = World::new();
    let worktree = prepared(&world);
    for round in 1..=200 {
        write(&worktree.path.join("counter"), &format!("{round}\n"));
        assert_eq!(number(&worktree.take_checkpoint(&turn(&worktree, round)).unwrap()), round);
    }
    let all = worktree.checkpoints().unwrap();
    assert_eq!(all.len(), 200);
    let sizes = worktree.checkpoint_sizes().unwrap();
    assert!(sizes.iter().zip(&all).all(|((sized, _), one)| sized == one));
    let last = sizes.last().unwrap().1;
    assert_eq!((last.files, last.added, last.removed), (1, 1, 0));
    assert!(sizes[..199].iter().all(|(_, size)| (size.files, size.added, size.removed) == (1, 1, 1)));
    let middle = all.iter().find(|checkpoint| checkpoint.number == 77).unwrap();
    assert_eq!(world.git(["show", &format!("{}:counter", middle.tree)]), "77");
    assert_eq!(middle.moment.turn, Some(77));
    assert_eq!(world.git(["for-each-ref", "refs/agency"]).lines().count(), 1);
    assert!(try_git(&world.repository, ["fsck", "--strict"]).0);
}

#[test]
fn a_sparse_checkout_is_recorded_whole() {
    let world = World::new();
    let worktree = prepared(&world);
    git(&worktree.path, ["sparse-checkout", "set", "--no-cone", "/a.txt"]);
    assert!(!worktree.path.join("dir/b.txt").exists());
    assert_eq!(number(&take(&worktree)), 0, "files that are not checked out are not deleted");
    write(&worktree.path.join("a.txt"), "changed\n");
    assert_eq!(names(&world, &take(&worktree).checkpoint.unwrap().tree), ["a.txt", "dir/b.txt"]);
}

/// Commits that only checkpoints lead to are saved before those are deleted.
#[test]
fn a_removal_saves_commits_that_checkpoints_hold() {
    let world = World::new();
    let worktree = prepared(&world);
    git(&worktree.path, ["checkout", "-q", "--detach"]);
    write(&worktree.path.join("new"), "lost and found\n");
    commit_all(&worktree.path, "dropped later");
    take(&worktree);
    let dropped = git(&worktree.path, ["rev-parse", "HEAD"]);
    git(&worktree.path, ["checkout", "-q", &worktree.branch]);
    let removal = worktree.remove(RemoveOptions::default()).unwrap();
    assert_eq!(world.git(["for-each-ref", "refs/agency/checkpoints"]), "");
    assert!(!worktree.looks.as_ref().unwrap().with_file_name("checkpoint-index").exists());
    assert!(!removal.other_refs.is_empty());
    assert!(!world.git(["for-each-ref", "--contains", &dropped]).is_empty());
}
