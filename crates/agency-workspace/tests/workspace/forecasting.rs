//! Forecasts of merges, against git's own merges of the same trees.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use agency_workspace::{Commit, MergeForecast, Pair, Verdict, WorkState};
use proptest::prelude::*;

use crate::world::{World, commit_all, git, git_with_input, try_git, write};

/// Every pair of so many states.
fn all_pairs(states: usize) -> Vec<Pair> {
    (0..states).flat_map(|one| (one + 1..states).map(move |other| (one, other))).collect()
}

fn state(world: &World, name: &str) -> WorkState {
    let id = |name: String| world.git(["rev-parse", &name]).parse().unwrap();
    WorkState { commit: id(format!("{name}^{{commit}}")), tree: id(format!("{name}^{{tree}}")) }
}

/// What git itself says: whether they merge, and the files that do not; nothing where it fails.
fn merged_by_git(world: &World, one: &Commit, other: &Commit) -> Option<(bool, Vec<String>)> {
    let arguments = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", one.as_str(), other.as_str()];
    let (success, printed) = try_git(&world.repository, arguments);
    let own_name = |name: &str| name.split_once('~').map_or(name, |(name, _)| name).to_owned();
    let names = printed.split('\0').skip(1).filter(|name| !name.is_empty()).map(own_name);
    printed.split('\0').next()?.parse::<Commit>().ok().map(|_| (success, names.collect()))
}

fn files(verdict: &Verdict) -> Vec<String> {
    match verdict {
        Verdict::Clean | Verdict::Nothing => vec![],
        Verdict::Conflicts(files) => files.iter().map(|file| file.path.to_str().unwrap().to_owned()).collect(),
        Verdict::Unknown { reason } => panic!("{reason}"),
    }
}

/// A commit of the files of a state on top of its history.
fn commit_of(world: &World, state: &WorkState) -> Commit {
    world.git(["commit-tree", "-m", "state", "-p", state.commit.as_str(), state.tree.as_str()]).parse().unwrap()
}

fn check_against_git(world: &World, states: &[WorkState]) {
    let forecast = MergeForecast::of(&world.repository).unwrap();
    let pairs = all_pairs(states.len());
    let verdicts = forecast.verdicts(states, &pairs, &states[0].tree).unwrap();
    for (pair, verdict) in pairs.iter().zip(&verdicts) {
        let (one, other) = (commit_of(world, &states[pair.0]), commit_of(world, &states[pair.1]));
        let Some((merges, names)) = merged_by_git(world, &one, &other) else {
            assert!(matches!(verdict, Verdict::Unknown { .. }), "{verdict:?} of {pair:?} of {states:?}");
            continue;
        };
        assert_eq!(
            matches!(verdict, Verdict::Clean | Verdict::Nothing),
            merges,
            "{verdict:?} of {pair:?} of {states:?}"
        );
        let found = files(verdict);
        assert!(names.iter().all(|name| found.contains(name)), "{names:?} are not all in {verdict:?}");
    }
}

#[test]
fn conflicts_without_a_path_in_common_are_found() {
    let world = World::new();
    world.write("d/f", &"line of f\n".repeat(9));
    world.write("d/g", &"line of g\n".repeat(9));
    commit_all(&world.repository, "files");
    let branch = |name: &str, change: &dyn Fn(&Path)| {
        world.git(["checkout", "-q", "-B", name, "main"]);
        change(&world.repository);
        commit_all(&world.repository, name);
    };
    branch("moves", &|top| {
        git(top, ["mv", "d", "e"]);
    });
    branch("adds", &|top| write(&top.join("d/new"), "new\n"));
    branch("file", &|top| write(&top.join("thing"), "file\n"));
    branch("directory", &|top| write(&top.join("thing/in it"), "file\n"));
    branch("binary", &|top| fs::write(top.join("a.txt"), b"a\0b").unwrap());
    branch("text", &|top| write(&top.join("a.txt"), "other\n"));
    branch("mode", &|top| {
        git(top, ["update-index", "--chmod=+x", "a.txt"]);
        git(top, ["commit", "-q", "-m", "mode"]);
        git(top, ["checkout", "-q", "--", "."]);
        write(&top.join("unrelated"), "x\n");
    });
    world.git(["checkout", "-q", "main"]);
    let names = ["main", "moves", "adds", "file", "directory", "binary", "text", "mode"];
    let states: Vec<WorkState> = names.iter().map(|name| state(&world, name)).collect();
    check_against_git(&world, &states);
    let forecast = MergeForecast::of(&world.repository).unwrap();
    let verdicts = forecast.verdicts(&states, &[(1, 2), (3, 4), (5, 6), (0, 1), (6, 7)], &states[0].tree).unwrap();
    let conflicts = |verdict: &Verdict| matches!(verdict, Verdict::Conflicts(files) if !files.is_empty());
    assert!(conflicts(&verdicts[0]) && conflicts(&verdicts[1]) && conflicts(&verdicts[2]), "{verdicts:?}");
    assert_eq!(verdicts[3..], [Verdict::Clean, Verdict::Clean]);
    assert_eq!(forecast.verdicts(&states, &[(1, 0)], &states[0].tree).unwrap(), [Verdict::Nothing]);
}

#[test]
fn a_snapshot_has_what_is_not_committed_and_leaves_no_object_behind() {
    let world = World::new();
    let (one, other) = (world.prepared(), world.prepared());
    write(&one.path.join("a.txt"), "one\n");
    write(&other.path.join("a.txt"), "other\n");
    write(&other.path.join("untracked"), "other\n");
    let objects = world.git(["count-objects", "-v"]);
    let mut forecast = MergeForecast::of(&world.repository).unwrap();
    let states =
        [forecast.branch("main").unwrap(), forecast.snapshot(&one).unwrap(), forecast.snapshot(&other).unwrap()];
    let verdicts = forecast.verdicts(&states, &all_pairs(3), &states[0].tree).unwrap();
    assert_eq!(verdicts[..2], [Verdict::Clean, Verdict::Clean]);
    assert_eq!(files(&verdicts[2]), ["a.txt"]);
    assert_eq!(forecast.chain(&states[0], &[&states[1]]).unwrap(), []);
    let broken = forecast.chain(&states[0], &[&states[1], &states[2]]).unwrap().remove(0);
    assert_eq!((broken.at, broken.conflicts[0].kind.as_str()), (1, "contents"));
    let lines = [(&states[1], ["a.txt".into()].into()), (&states[2], ["untracked".into()].into())];
    assert_eq!(forecast.lines_changed(&states[0], &lines).unwrap(), [1, 1]);
    assert_eq!(world.git(["count-objects", "-v"]), objects);
    assert_eq!(git(&other.path, ["status", "--porcelain"]), " M a.txt\n?? untracked");
}

#[test]
fn what_cannot_be_merged_is_unknown_and_the_others_are_not() {
    let world = World::new();
    let base = state(&world, "main");
    world.git(["checkout", "-q", "--orphan", "alone"]);
    commit_all(&world.repository, "alone");
    world.git(["checkout", "-q", "-b", "changed", "main"]);
    world.write("a.txt", "changed\n");
    commit_all(&world.repository, "changed");
    world.git(["checkout", "-q", "main"]);
    world.write("a.txt", "ours\n");
    commit_all(&world.repository, "ours");
    // An agent can write a tree with objects that are not there.
    let missing = git_with_input(
        &world.repository,
        ["mktree", "--missing"],
        "100644 blob 1234567890123456789012345678901234567890\ta.txt\n",
    );
    let broken = WorkState { commit: base.commit.clone(), tree: missing.parse().unwrap() };
    let gone: Commit = "12345678".repeat(5).parse().unwrap();
    let lost = WorkState { commit: gone.clone(), tree: gone };
    let states = [state(&world, "main"), state(&world, "alone"), broken, state(&world, "changed")];
    let forecast = MergeForecast::of(&world.repository).unwrap();
    assert_eq!(forecast.exist(&[states[0].clone(), lost]).unwrap(), [true, false]);
    let verdicts = forecast.verdicts(&states, &[(0, 1), (0, 2), (0, 3)], &states[0].tree).unwrap();
    assert!(matches!(&verdicts[0], Verdict::Unknown { reason } if reason.contains("no commit in common")));
    assert!(matches!(&verdicts[1], Verdict::Unknown { .. }), "{verdicts:?}");
    assert_eq!(files(&verdicts[2]), ["a.txt"]);
}

#[test]
fn histories_that_merged_each_other_are_merged_as_git_merges_them() {
    let world = World::new();
    for (name, from) in [("left", "main"), ("right", "main")] {
        world.git(["checkout", "-q", "-b", name, from]);
        world.write(name, "x\n");
        commit_all(&world.repository, name);
    }
    world.git(["branch", "old-left", "left"]);
    world.git(["checkout", "-q", "left"]);
    world.git(["merge", "-q", "--no-ff", "-m", "cross", "right"]);
    world.git(["checkout", "-q", "right"]);
    world.git(["merge", "-q", "--no-ff", "-m", "cross", "old-left"]);
    for name in ["left", "right"] {
        world.git(["checkout", "-q", name]);
        world.write("a.txt", name);
        commit_all(&world.repository, "again");
    }
    let states = ["main", "left", "right", "old-left"].map(|name| state(&world, name));
    check_against_git(&world, &states);
}

/// Files of a tree: mode and content by path.
type Files = BTreeMap<String, (&'static str, String)>;

/// One edit of a tree: what, at which of its files, and with which other name.
type Edit = (u8, usize, usize);

const NAMES: [&str; 10] = ["a", "a/x", "d/f", "d/g", "d/s/h", "d/s/i", "e/f", "e", "n/o/p", "top"];

fn first_files() -> Files {
    let content = |name: &str| (0..12).map(|line| format!("{name} {line}\n")).collect::<String>();
    let names = ["a", "d/f", "d/g", "d/s/h", "d/s/i", "top"];
    names.iter().map(|name| ((*name).to_owned(), ("100644", content(name)))).collect()
}

fn put(files: &mut Files, path: &str, file: (&'static str, String)) {
    let (inside, above) = (format!("{path}/"), path.to_owned());
    files.retain(|name, _| !name.starts_with(&inside) && !above.starts_with(&format!("{name}/")));
    files.insert(above, file);
}

fn edit(files: &mut Files, (what, which, name): Edit) {
    let name = NAMES[name % NAMES.len()];
    let Some(path) = files.keys().nth(which % files.len().max(1)).cloned() else { return };
    match what % 7 {
        0 => put(files, name, ("100644", format!("new {which}\n"))),
        1 => {
            files.remove(&path);
        }
        2 => {
            let moved = files.remove(&path).unwrap();
            put(files, name, moved);
        }
        3 => {
            // A whole directory.
            let Some((directory, _)) = path.split_once('/') else { return };
            let inside = format!("{directory}/");
            let moved: Vec<String> = files.keys().filter(|path| path.starts_with(&inside)).cloned().collect();
            for old in moved {
                let file = files.remove(&old).unwrap();
                put(files, &format!("moved{}/{}", name.len() % 2, &old[inside.len()..]), file);
            }
        }
        4 => files.get_mut(&path).unwrap().0 = "100755",
        5 => put(files, &path, ("120000", name.to_owned())),
        _ => {
            let line = format!("{} {}\n", path, name.len() % 12);
            let file = files.get_mut(&path).unwrap();
            file.1 = file.1.replace(&line, &format!("changed {which}\n"));
        }
    }
}

/// Commits trees on branches, with one process: each is its name, what it is based on, and its files.
fn import(world: &World, commits: &[(String, Option<String>, Files)]) {
    let mut stream = String::new();
    for (name, from, files) in commits {
        stream.push_str(&format!("commit refs/heads/{name}\ncommitter T <t@example.org> 0 +0000\ndata 1\nx\n"));
        if let Some(from) = from {
            stream.push_str(&format!("from refs/heads/{from}\n"));
        }
        stream.push_str("deleteall\n");
        for (path, (mode, content)) in files {
            stream.push_str(&format!("M {mode} inline {path}\ndata {}\n{content}\n", content.len()));
        }
    }
    git_with_input(&world.repository, ["fast-import", "--quiet", "--force"], &stream);
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec((any::<u8>(), 0..10_usize, 0..10_usize), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn verdicts_are_those_of_git(
        trunk in prop::collection::vec(edits(), 3),
        branches in prop::collection::vec((0..3_usize, edits(), edits()), 4),
    ) {
        let world = World::new();
        let mut commits = vec![("t0".to_owned(), None, first_files())];
        for (number, edits) in trunk.iter().enumerate() {
            let mut files = commits[number].2.clone();
            edits.iter().for_each(|change| edit(&mut files, *change));
            commits.push((format!("t{}", number + 1), Some(format!("t{number}")), files));
        }
        for (number, (from, committed, uncommitted)) in branches.iter().enumerate() {
            let mut files = commits[*from].2.clone();
            committed.iter().for_each(|change| edit(&mut files, *change));
            commits.push((format!("b{number}"), Some(format!("t{from}")), files.clone()));
            uncommitted.iter().for_each(|change| edit(&mut files, *change));
            commits.push((format!("u{number}"), Some(format!("b{number}")), files));
        }
        import(&world, &commits);
        let mut states = vec![state(&world, "t3")];
        for number in 0..branches.len() {
            let tree = state(&world, &format!("u{number}")).tree;
            states.push(WorkState { tree, ..state(&world, &format!("b{number}")) });
        }
        check_against_git(&world, &states);
    }
}
