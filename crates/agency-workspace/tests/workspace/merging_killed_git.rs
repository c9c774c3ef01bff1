//! The process is killed while git changes the files of a checkout. Git may go on, or die as well; the next merge ends with
//! the files of the target, and takes nothing of git's for a change of the user.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use agency_system::lock;
use agency_workspace::{GitWorktree, MergeError, MergeStrategy};

use crate::merging::{merged, request};
use crate::merging_killed::{SAVE, act, start};
use crate::world::{World, commit_all, write};

/// Work that changes several files, for one of which git asks a program of the user.
struct Half {
    world: World,
    worktree: GitWorktree,
    /// While this exists, the program does what a test wants.
    armed: PathBuf,
}

impl Half {
    fn new(program: &str) -> Self {
        let world = World::new();
        let armed = world.root().join("armed");
        let smudge = format!("cd '{}'; if test -e armed; then {program}; fi; cat", world.root().display());
        world.git(["config", "filter.half.clean", "cat"]);
        world.git(["config", "filter.half.smudge", &smudge]);
        world.write(".gitattributes", "m.half filter=half\n");
        for name in ["m.half", "gone", "other", "z.txt"] {
            world.write(name, "before\n");
        }
        commit_all(&world.repository, "more files");
        let worktree = world.prepared();
        for name in ["a.txt", "m.half", "added/deep", "other", "z.txt"] {
            write(&worktree.path.join(name), "after\n");
        }
        fs::remove_file(worktree.path.join("gone")).unwrap();
        worktree.commit_all("work").unwrap();
        Self { world, worktree, armed }
    }

    fn saved(&self) -> Vec<String> {
        let refs = self.world.git(["for-each-ref", "--format=%(refname)", "refs/agency/saved"]);
        refs.lines().map(str::to_owned).collect()
    }

    #[track_caller]
    fn has_landed(&self) {
        assert_eq!(self.world.git(["status", "--porcelain"]), "");
        for name in ["a.txt", "m.half", "added/deep", "other", "z.txt"] {
            assert_eq!(fs::read_to_string(self.world.repository.join(name)).unwrap(), "after\n", "{name}");
            assert_eq!(self.world.git(["show", &format!("main:{name}")]), "after");
        }
        assert!(!self.world.repository.join("gone").exists());
    }
}

/// Opening a pipe waits for the other end, which may never come if the merge fails.
#[track_caller]
fn within_a_minute<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(act()));
    receiver.recv_timeout(Duration::from_secs(60)).expect("the other end of the pipe")
}

#[test]
fn a_merge_waits_for_the_git_of_one_that_was_killed() {
    let half = Half::new("echo >started; cat continue >/dev/null");
    let pipe = |name: &str| half.world.root().join(name);
    for name in ["started", "continue"] {
        assert!(Command::new("mkfifo").arg(pipe(name)).status().unwrap().success());
    }
    half.world.write("z.txt", "mine\n");
    write(&half.armed, "");
    let mut victim = start(&half.worktree, SAVE);
    let started = pipe("started");
    within_a_minute(move || fs::read(started).unwrap());
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(lock::is_held(&half.world.repository.join(".git/agency-merge.lock")).unwrap(), "git holds the lock");
    fs::remove_file(&half.armed).unwrap();
    let proceed = pipe("continue");
    within_a_minute(move || fs::write(proceed, "\n").unwrap());
    act(&half.worktree, SAVE);
    half.has_landed();
    assert_eq!(half.saved(), ["refs/agency/saved/checkout-test"], "nothing else was taken for changes of the user");
    assert_eq!(half.world.git(["show", "refs/agency/saved/checkout-test:z.txt"]), "mine");
}

#[test]
fn what_git_left_as_it_was_killed_too_is_taken_back_by_the_next_merge() {
    for (changes, strategy) in [(false, 0), (false, SAVE), (true, SAVE)] {
        let half = Half::new("until test -s pid; do sleep 0.01; done; kill -9 $(cat pid) $PPID; exit 1");
        half.world.write("mine.txt", "of the user\n");
        commit_all(&half.world.repository, "of the user");
        if changes {
            half.world.write("z.txt", "mine\n");
        }
        write(&half.armed, "");
        let mut victim = start(&half.worktree, strategy);
        write(&half.world.root().join("pid"), &format!("{}\n", victim.id()));
        victim.wait().unwrap();
        assert_ne!(half.world.git(["status", "--porcelain"]), "", "half of the files are new");
        fs::remove_file(&half.armed).unwrap();
        let locked = half.worktree.merge(&request(MergeStrategy::Merge));
        let Err(MergeError::CheckoutLocked { lock, .. }) = locked else { panic!("{locked:?}") };
        fs::remove_file(lock).unwrap();
        act(&half.worktree, strategy);
        half.has_landed();
        assert_eq!(half.saved().len(), usize::from(changes), "{:?}", half.saved());
        assert!(!half.world.repository.join(".git/agency-merge-update").exists());
    }
}

#[test]
fn what_the_user_wrote_after_a_merge_was_killed_is_no_file_of_gits() {
    let half = Half::new("until test -s pid; do sleep 0.01; done; kill -9 $(cat pid) $PPID; exit 1");
    write(&half.armed, "");
    let mut victim = start(&half.worktree, 0);
    write(&half.world.root().join("pid"), &format!("{}\n", victim.id()));
    victim.wait().unwrap();
    fs::remove_file(&half.armed).unwrap();
    fs::remove_file(half.world.repository.join(".git/index.lock")).unwrap();
    half.world.write("a.txt", "mine\n");
    let blocked = half.worktree.merge(&request(MergeStrategy::Merge)).unwrap();
    let text = format!("{blocked:?}");
    assert!(text.contains("Blocked") && text.contains("a.txt") && !text.contains("m.half"), "{text}");
    assert_eq!(half.world.git(["status", "--porcelain"]).trim(), "M a.txt");
    half.world.git(["checkout", "-q", "--", "a.txt"]);
    merged(half.worktree.merge(&request(MergeStrategy::Merge)));
    half.has_landed();
}

#[test]
fn a_note_that_leads_nowhere_stops_no_merge() {
    for note in ["", "nonsense\n", "{tip} 1111111111111111111111111111111111111111 main\n", "{tip} {tip} ../main\n"] {
        let half = Half::new("true");
        let path = half.world.repository.join(".git/agency-merge-update");
        write(&path, &note.replace("{tip}", half.world.head().as_str()));
        merged(half.worktree.merge(&request(MergeStrategy::Merge)));
        half.has_landed();
        assert!(!path.exists());
    }
}
