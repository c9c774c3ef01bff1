//! What an agent leaves for git to run is not run by landing, forecasts, checkpoints, reviews and races.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use agency_testkit::{Repo, Run, World};

use super::{finished, on, world};

/// Plants a program wherever git would start one: in the settings of the worktree, its hooks, repositories inside it, a
/// link to one, a merge driver, and in a directory of relative programs.
fn planter(note: &Path, text: &str) -> String {
    let note = note.display();
    format!(
        r#"
admin=$(git rev-parse --absolute-git-dir)
printf '#!/bin/sh\necho ran "$0" "$@" >> "{note}"\ncat\n' > planted; chmod +x planted
mkdir -p .husky bin
for hook in pre-commit commit-msg pre-merge-commit post-merge post-checkout reference-transaction post-index-change; do
    cp planted .husky/$hook
done
for name in git sh jj tool cat; do cp planted bin/$name; done
config="[core]
    fsmonitor = $PWD/planted
    hooksPath = $PWD/.husky
    sshCommand = $PWD/planted
[filter \"x\"]
    clean = $PWD/planted
    smudge = $PWD/planted
[merge \"x\"]
    driver = $PWD/planted %O %A %B
[gpg]
    program = $PWD/planted
[commit]
    gpgSign = true
[diff \"x\"]
    textconv = $PWD/planted
    command = $PWD/planted"
for sub in sub linked; do
    git init -q $sub; echo x > $sub/file
    git -C $sub commit -q --allow-empty -m x
    echo '* filter=x' > $sub/.gitattributes
    echo "$config" >> $sub/.git/config
done
git update-index --add --cacheinfo 160000,$(cat linked/.git/refs/heads/*),linked
git commit -q -m linked
echo '* filter=x diff=x merge=x' > .gitattributes
echo {text} >> README.md
echo {text} > {text}.txt
echo "$config" >> "$admin/config.worktree"
rm -f "{note}"
"#
    )
}

struct Planted {
    world: World,
    repo: Repo,
    note: PathBuf,
    runs: [Run; 2],
}

impl Planted {
    fn new() -> Self {
        let (world, repo) = world();
        repo.git(&["config", "extensions.worktreeConfig", "true"]);
        // As husky sets it: a directory in each checkout.
        repo.git(&["config", "core.hooksPath", ".husky"]);
        let note = world.root().join("ran");
        let runs = ["one", "two"].map(|text| finished(&world, &repo, &planter(&note, text)));
        let planted = Self { world, repo, note, runs };
        planted.untouched("the end of the runs");
        planted
    }

    #[track_caller]
    fn untouched(&self, when: &str) {
        assert!(!self.note.exists(), "{when}: {}", fs::read_to_string(&self.note).unwrap());
    }

    /// Runs a command in the user's checkout.
    #[track_caller]
    fn run(&self, arguments: &[&str]) -> String {
        let search_path = format!("./bin:bin:{}", std::env::var("PATH").unwrap());
        let mut command = self.world.command(arguments);
        let output = self.world.run(command.current_dir(&self.repo.path).env("PATH", search_path));
        self.untouched(&arguments.join(" "));
        output.stdout + &output.stderr
    }
}

// section 2: nothing that an agent wrote runs in the user's name
#[test]
fn nothing_that_an_agent_planted_for_git_runs_when_its_work_lands() {
    let planted = Planted::new();
    let [first, second] = &planted.runs;
    assert!(planted.run(&["forecast", "--fresh"]).contains("README.md"));
    planted.run(&["land", "--dry-run", &first.id]);
    planted.run(&["land", "--all-ready", "--dry-run"]);
    let landed = planted.run(&["land", &first.id, "--check", "test -e one.txt"]);
    assert!(landed.contains("landed on main"), "{landed}");
    assert_eq!(on(&planted.repo, "main", "one.txt").trim(), "one");
    // What landed is the user's from now on, hooks among them.
    planted.repo.git(&["config", "core.hooksPath", ".git/hooks"]);
    let refused = planted.run(&["land", &second.id]);
    assert!(refused.contains("E_MERGE_CONFLICT"), "{refused}");
    for strategy in ["squash", "rebase"] {
        planted.run(&["land", "--strategy", strategy, &second.id]);
    }
    planted.run(&["rm", "--force", &first.id]);
}

// section 2: nothing that an agent wrote runs in the user's name
#[test]
fn nothing_that_an_agent_planted_for_git_runs_for_checkpoints_and_reviews() {
    let planted = Planted::new();
    let id = planted.runs[0].id.as_str();
    planted.run(&["checkpoint", "ls", id]);
    assert!(planted.run(&["checkpoint", "diff", id]).contains("+one"));
    planted.run(&["checkpoint", "show", id]);
    planted.run(&["review", id, "--comment", "README.md:1:Say more"]);
    assert!(planted.run(&["review", id, "--approve"]).contains("approved by"));
    for arguments in [&["0"][..], &["1"], &["0", "--commits"], &["1", "--commits"]] {
        let restored = planted.run(&[&["checkpoint", "restore", id], arguments].concat());
        assert!(restored.contains("restored"), "{restored}");
    }
    planted.run(&["land", id]);
    assert_eq!(on(&planted.repo, "main", "one.txt").trim(), "one");
}

/// A worktree that became a link to the user's checkout, and one whose `.git` leads to another repository.
#[test]
fn a_replaced_worktree_lands_nothing_and_nothing_of_the_user() {
    let (world, repo) = world();
    repo.write("mine.txt", "of the user\n");
    let replaced = [finished(&world, &repo, "echo 1 >one"), finished(&world, &repo, "echo 2 >two")];
    let paths = replaced.each_ref().map(|run| PathBuf::from(world.show(run)["worktree_path"].as_str().unwrap()));
    fs::rename(&paths[0], world.root().join("aside")).unwrap();
    symlink(&repo.path, &paths[0]).unwrap();
    let other = world.repo("other");
    fs::write(paths[1].join(".git"), format!("gitdir: {}/.git\n", other.path.display())).unwrap();
    let before = [&repo, &other].map(|repo| (repo.git(&["rev-parse", "main"]), repo.git(&["status", "--porcelain"])));
    for arguments in [
        &["land", &replaced[0].id][..],
        &["land", "--dry-run", &replaced[0].id],
        &["review", &replaced[0].id, "--approve"],
        &["checkpoint", "restore", &replaced[0].id, "0"],
        &["checkpoint", "restore", "--commits", &replaced[0].id, "0"],
    ] {
        let output = world.agency(arguments);
        assert!(!output.status.success(), "{arguments:?}: {output}");
    }
    // Git's own entry leads to the directory, whatever is written there.
    world.agency(&["checkpoint", "restore", &replaced[1].id, "0"]);
    world.agency(&["land", &replaced[1].id]);
    assert_eq!(other.git(&["log", "--format=%s", "--all"]).lines().count(), 1);
    let after = [&repo, &other].map(|repo| (repo.git(&["rev-parse", "main"]), repo.git(&["status", "--porcelain"])));
    assert_eq!(after[1], before[1]);
    assert_eq!(after[0].1, before[0].1);
    assert_eq!(fs::read_to_string(repo.path.join("mine.txt")).unwrap(), "of the user\n");
}
