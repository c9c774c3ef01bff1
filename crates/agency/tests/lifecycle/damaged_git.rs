//! Files of git that an agent replaced, by rubbish or by something on which reading waits: agency answers, and loses nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use agency_testkit::{Output, Repo, World};

use super::world;

/// A command that hangs does so for much longer.
const LIMIT: Duration = Duration::from_secs(40);

/// A finished run with a commit and a file that is not committed.
struct Ended {
    world: World,
    repo: Repo,
    id: String,
    worktree: PathBuf,
}

impl Ended {
    fn new() -> Self {
        let world = world();
        let repo = world.repo("project");
        world.agent("worker", "echo done > a.txt; git add .; git commit -qm a; echo loose > b.txt");
        let run = world.begin(&repo, "worker", &["--host", "detached", "--mode", "headless"]);
        let worktree = PathBuf::from(world.ended(&run)["worktree_path"].as_str().unwrap());
        run.wait_until_unsupervised();
        Self { world, repo, id: run.id, worktree }
    }

    /// A file of git's entry for the worktree.
    fn entry(&self, name: &str) -> PathBuf {
        self.repo.path.join(".git/worktrees").join(&self.id).join(name)
    }

    /// Runs a command that must end.
    #[track_caller]
    fn ends(&self, arguments: &[&str]) -> Output {
        self.world.start(&mut self.world.command(arguments)).wait_at_most(LIMIT)
    }

    /// Every command ends, and the work is saved, or nothing is removed and the refusal names `culprit`.
    #[track_caller]
    fn nothing_hangs_and_nothing_is_lost(&self, case: &str, culprit: Option<&str>) {
        // Where the files cannot be read, it shows what was recorded at the end of the run.
        let shown = self.ends(&["show", &self.id]);
        assert!(shown.status.success() && shown.stdout.contains("b.txt"), "{case}: {shown}");
        for arguments in [&["diff", &self.id][..], &["rm", "--dry-run", &self.id]] {
            let output = self.ends(arguments);
            let said = format!("{}{}", output.stdout, output.stderr);
            assert!(culprit.is_none_or(|culprit| said.contains(culprit)), "{case}: {arguments:?}: {output}");
            assert!(culprit.is_some() || output.status.success(), "{case}: {arguments:?}: {output}");
        }
        let removed = self.ends(&["rm", &self.id]);
        let loose = self.worktree.join("b.txt");
        if let Some(culprit) = culprit {
            assert!(!removed.status.success() && removed.stderr.contains(culprit), "{case}: {removed}");
            assert_eq!(fs::read_to_string(loose).unwrap(), "loose\n", "{case}");
            return;
        }
        assert!(removed.status.success(), "{case}: {removed}");
        assert!(!loose.exists(), "{case}");
        let saved = format!("refs/agency/saved/{}:b.txt", self.id);
        assert_eq!(self.repo.git(&["cat-file", "-p", &saved]).trim(), "loose", "{case}");
        let branch = format!("refs/heads/agency/{}:a.txt", self.id);
        assert_eq!(self.repo.git(&["cat-file", "-p", &branch]).trim(), "done", "{case}");
    }
}

fn pipe(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// A file with a size and no content on the disk.
fn huge(path: &Path) {
    fs::File::create(path).unwrap().set_len(1 << 40).unwrap();
}

fn link_to_nowhere(path: &Path) {
    symlink("/nowhere", path).unwrap();
}

fn link_to_a_device(path: &Path) {
    symlink("/dev/zero", path).unwrap();
}

fn rubbish(path: &Path) {
    fs::write(path, b"\xff\x00ref: ../../../x").unwrap();
}

fn nothing(_: &Path) {}

fn directory(path: &Path) {
    fs::create_dir(path).unwrap();
}

/// What may be in place of a file.
type Damage = (&'static str, fn(&Path));

const DAMAGES: [Damage; 7] = [
    ("rubbish", rubbish),
    ("missing", nothing),
    ("a link to nowhere", link_to_nowhere),
    ("a link to a device", link_to_a_device),
    ("a pipe", pipe),
    ("huge", huge),
    ("a directory", directory),
];

/// Does the same for each case, for all of them at once: what git waits for a pipe is most of the time that they take.
fn at_once<T: Send + 'static>(cases: impl IntoIterator<Item = T>, check: fn(T)) {
    thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || check(case));
        }
    });
}

#[test]
fn a_damaged_head_of_the_worktree_keeps_rm_from_saving_nothing() {
    at_once(DAMAGES, |(case, damage)| {
        let ended = Ended::new();
        let head = ended.entry("HEAD");
        fs::remove_file(&head).unwrap();
        damage(&head);
        ended.nothing_hangs_and_nothing_is_lost(case, None);
    });
}

#[test]
fn a_repository_inside_with_a_damaged_head_is_named_and_stays() {
    at_once(DAMAGES, |(case, damage)| {
        let ended = Ended::new();
        let nested = ended.worktree.join("nested");
        ended.repo.git(&["init", "-q", nested.to_str().unwrap()]);
        fs::write(nested.join("inner.txt"), "inner\n").unwrap();
        fs::remove_file(nested.join(".git/HEAD")).unwrap();
        damage(&nested.join(".git/HEAD"));
        if case == "a pipe" {
            ended.nothing_hangs_and_nothing_is_lost(case, Some("nested/.git/HEAD"));
            return;
        }
        for arguments in [&["show", &ended.id][..], &["diff", &ended.id]] {
            assert!(ended.ends(arguments).status.success(), "{case}");
        }
        let planned = ended.ends(&["rm", "--dry-run", &ended.id]);
        assert!(planned.stdout.contains("repositories nested; it is not removed"), "{case}: {planned}");
        let refused = ended.ends(&["rm", &ended.id]);
        assert!(!refused.status.success() && refused.stderr.contains("nested"), "{case}: {refused}");
        assert!(nested.join(".git/config").exists() && nested.join("inner.txt").exists(), "{case}");
        assert!(ended.ends(&["rm", "--force", &ended.id]).status.success(), "{case}");
        let kept = ended.world.agency_home().join("kept").join(&ended.id).join("worktree/nested");
        assert!(kept.join(".git/config").exists() && kept.join("inner.txt").exists(), "{case}");
    });
}

#[test]
fn pipes_in_place_of_files_that_git_reads_are_named() {
    at_once([".gitignore", ".gitattributes", "deep/.gitignore"], |name| {
        let ended = Ended::new();
        let path = ended.worktree.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        fs::write(path.with_file_name("file.txt"), "x\n").unwrap();
        pipe(&path);
        ended.nothing_hangs_and_nothing_is_lost(name, Some(name));
        fs::remove_file(&path).unwrap();
        ended.nothing_hangs_and_nothing_is_lost(name, None);
    });
}

#[test]
fn a_pipe_as_head_of_one_worktree_does_not_make_the_next_run_hang() {
    let ended = Ended::new();
    fs::remove_file(ended.entry("HEAD")).unwrap();
    pipe(&ended.entry("HEAD"));
    let repo = ended.repo.path.to_str().unwrap();
    let begun = ended.ends(&["run", "--repo", repo, "--runner", "worker", "--prompt", "x", "--host", "detached"]);
    assert!(begun.stderr.contains(ended.entry("HEAD").to_str().unwrap()), "{begun}");
    assert!(ended.ends(&["rm", &ended.id]).status.success());
    let begun = ended.ends(&["run", "--repo", repo, "--runner", "worker", "--prompt", "x", "--host", "detached"]);
    assert!(begun.status.success(), "{begun}");
}
