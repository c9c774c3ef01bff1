//! Nothing with work that is not saved or has not landed is ever removed, however its run ended.

use std::fs;
use std::path::Path;

use agency_testkit::{Repo, Run};

use super::{AT_ONCE, COMMIT, decision, finished, gc, is_kept, started, worktree, world};

/// What an agent leaves, and words of the reason why it is kept. Commits differ, or one would be on the branch of another.
const WORKS: [(&str, &str); 14] = [
    ("echo x >>README.md", "1 file is not committed"),
    ("echo x >new", "1 file is not committed"),
    ("echo x >new; git add new", "1 file is not committed"),
    ("rm README.md", "1 file is not committed"),
    ("echo x >>README.md; git update-index --assume-unchanged README.md", "not committed"),
    ("echo x >>README.md; git update-index --skip-worktree README.md", "not committed"),
    (COMMIT, "its commits are not on main"),
    (
        "git checkout -q --detach; echo $AGENCY_RUN_ID >new; git add new; git commit -qm w",
        "something else than its branch",
    ),
    (
        "git switch -qc side-$$; echo $AGENCY_RUN_ID >new; git add new; git commit -qm w",
        "something else than its branch",
    ),
    (
        "git checkout -q --detach; echo $AGENCY_RUN_ID >new; git add new; git commit -qm w; git checkout -q -",
        "commits that are on no branch",
    ),
    ("git init -q inner; echo x >inner/file", "git repositories inside"),
    ("git update-ref refs/worktree/mine HEAD", "commits that are on no branch"),
    ("b=$(git branch --show-current); git checkout -q --detach; git branch -qD $b", "its branch is gone"),
    ("git worktree lock \"$PWD\"", "locked"),
];

/// How a run ends after its work.
const ENDS: [(&str, &str); 3] = [("completed", "exit 0"), ("failed", "exit 3"), ("killed", "echo ready; sleep 600")];

#[test]
fn work_that_is_nowhere_else_is_kept_in_every_state() {
    let (world, repo) = world(AT_ONCE);
    let mut kept: Vec<(Run, &str)> = vec![];
    for (state, end) in ENDS {
        for (script, words) in WORKS {
            let run = started(&world, &repo, format!("{script}\n{end}"));
            if state == "killed" {
                run.wait_for_output("ready");
                world.ok(&["stop", &run.id]);
            }
            assert_eq!(world.ended(&run)["state"], state, "{script}");
            run.wait_until_unsupervised();
            kept.push((run, words));
        }
    }
    for options in [["--dry-run"], ["--yes"]] {
        let report = gc(&world, &options);
        for (run, words) in &kept {
            let (action, why) = decision(&report, run);
            assert!(action == "keep" && why.contains(words), "{words}: {action}, {why}");
            assert!(worktree(&world, run).exists() && world.show(run)["removed_at"].is_null(), "{words}");
        }
        assert_eq!(report["freed_bytes"], 0);
    }
}

#[test]
fn work_after_a_landing_is_kept() {
    for strategy in ["merge", "squash"] {
        let (world, repo) = world(AT_ONCE);
        let change: [fn(&Repo, &Path); 2] = [
            |_, place| fs::write(place.join("more"), "x").unwrap(),
            |repo, place| {
                repo.git(&["-C", place.to_str().unwrap(), "commit", "-q", "--allow-empty", "-m", "more"]);
            },
        ];
        for (change, words) in change.iter().zip(["1 file is not committed", "its commits are not on main"]) {
            let run = finished(&world, &repo, &format!("echo $$ >$$; {COMMIT}-$$ && echo y >>new"));
            world.ok(&["land", &run.id, "--strategy", strategy]);
            change(&repo, &worktree(&world, &run));
            is_kept(&world, &run, words);
            world.ok(&["rm", &run.id]);
        }
    }
}

#[test]
fn a_landing_that_its_target_has_lost_is_not_believed() {
    for strategy in ["merge", "squash"] {
        let (world, repo) = world(AT_ONCE);
        let run = finished(&world, &repo, COMMIT);
        world.ok(&["land", &run.id, "--strategy", strategy]);
        repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
        is_kept(&world, &run, "its commits are not on main");
    }
}

#[test]
fn a_worktree_or_a_repository_that_is_gone_is_kept() {
    let (world, repo) = world(AT_ONCE);
    let run = finished(&world, &repo, "true");
    let place = worktree(&world, &run);
    fs::rename(&place, world.root().join("elsewhere")).unwrap();
    let (action, why) = decision(&gc(&world, &["--yes"]), &run);
    assert!(action == "keep" && why.contains("its worktree is gone"), "{why}");
    fs::rename(world.root().join("elsewhere"), &place).unwrap();
    fs::rename(&repo.path, world.root().join("moved")).unwrap();
    let (action, why) = decision(&gc(&world, &["--yes"]), &run);
    assert_eq!(action, "keep", "{why}");
    assert!(place.exists());
}
