//! Base refs and branches that cannot be used.

use agency_model::ErrorCode;
use agency_testkit::agent;
use serde_json::json;

use super::refusal::{hints, path, refused, run_prompted, says, world};

// proves L4, L18
#[test]
fn an_unknown_ref_is_answered_with_the_error_object_of_the_document() {
    let (world, repo) = world();
    let arguments = run_prompted(&repo, &["--base", "foo"]);
    let error = refused(&world, &repo, &arguments, ErrorCode::BadRef);
    hints(&error, "git branch");
    let mut answer = world.json(&arguments);
    // Beside the document's fields there are two more: what to do, and in which repository.
    let more = answer["error"].as_object_mut().unwrap();
    more.remove("hint").unwrap();
    let repository = more["details"].as_object_mut().unwrap().remove("repo");
    assert_eq!(repository, Some(json!(path(&repo))));
    let documented = json!({
        "ok": false,
        "schema_version": 1,
        "error": {
            "code": "E_BAD_REF",
            "message": "base_ref 'foo' does not resolve",
            "details": { "base_ref": "foo" },
        },
    });
    assert_eq!(answer, documented);
}

// proves L4
#[test]
fn a_ref_that_looks_like_an_option_is_only_an_unknown_ref() {
    let (world, repo) = world();
    for base in ["--help", "-x", "--all", "--exec=touch /tmp/owned", "HEAD --help"] {
        let flag = format!("--base={base}");
        let error = refused(&world, &repo, &run_prompted(&repo, &[&flag]), ErrorCode::BadRef);
        says(&error, &[&format!("base_ref '{base}'")]);
        assert_eq!(error["details"]["base_ref"], base);
    }
    // The same as an argument of its own.
    refused(&world, &repo, &run_prompted(&repo, &["--base", "-x"]), ErrorCode::BadRef);
}

// proves L4
#[test]
fn a_ref_that_names_no_single_commit_is_refused() {
    let (world, repo) = world();
    for base in ["", "HEAD:README.md", "HEAD^{tree}", "HEAD..HEAD", "^HEAD", "two\nlines"] {
        let error = refused(&world, &repo, &run_prompted(&repo, &["--base", base]), ErrorCode::BadRef);
        assert_eq!(error["details"]["base_ref"], base);
    }
}

// proves L6
#[test]
fn every_kind_of_ref_that_names_a_commit_is_a_base() {
    let (world, repo) = world();
    let first = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["tag", "-a", "-m", "annotated", "v1"]);
    repo.commit_file("later.txt", "later\n");
    for base in ["v1", "HEAD~1", &first[..10], &first, "refs/tags/v1"] {
        let run = world.json(&run_prompted(&repo, &["--base", base, "--dry-run"]));
        assert_eq!(run["data"]["would_create"]["base_commit"], first.as_str(), "{base}");
    }
}

// proves L6
#[test]
fn a_branch_that_exists_is_never_reused() {
    let (world, repo) = world();
    repo.git(&["branch", "topic/one"]);
    for branch in ["main", "topic/one"] {
        let error = refused(&world, &repo, &run_prompted(&repo, &["--branch", branch]), ErrorCode::BranchExists);
        says(&error, &[&format!("'{branch}'"), "exists"]);
        hints(&error, "--branch");
        assert_eq!(error["details"]["new_branch"], branch);
    }
}

// proves L6
#[test]
fn a_branch_name_that_git_forbids_is_refused() {
    let (world, repo) = world();
    for branch in ["", "a..b", "a b", "-D", "--orphan", "@", "@{-1}", "a.lock", "/a", "a/", "a\nb", "HEAD"] {
        let flag = format!("--branch={branch}");
        let error = refused(&world, &repo, &run_prompted(&repo, &[&flag]), ErrorCode::BadRef);
        says(&error, &[&format!("'{branch}'"), "not a valid branch name"]);
        hints(&error, "check-ref-format");
        assert_eq!(error["details"]["new_branch"], branch);
    }
}

// proves L6
#[test]
fn a_branch_that_another_one_makes_impossible_is_refused() {
    let (world, repo) = world();
    repo.git(&["branch", "topic"]);
    repo.git(&["branch", "deep/below"]);
    for (branch, by) in [("topic/one", "topic"), ("deep", "deep/below")] {
        let arguments = run_prompted(&repo, &["--branch", branch]);
        let error = refused(&world, &repo, &arguments, ErrorCode::WorktreeCreateFailed);
        says(&error, &[&format!("'{branch}'"), &format!("'{by}'")]);
        hints(&error, "--branch");
    }
}

// proves L4, L6
#[test]
fn a_branch_named_agency_is_in_the_way_of_every_default_branch() {
    let (world, repo) = world();
    repo.git(&["branch", "agency"]);
    let blocked = |repo| {
        let error = refused(&world, repo, &run_prompted(repo, &[]), ErrorCode::WorktreeCreateFailed);
        says(&error, &["'agency/r_", "while 'agency' exists"]);
        hints(&error, "git branch -m");
    };
    blocked(&repo);
    repo.git(&["pack-refs", "--all"]);
    blocked(&repo);
    let run = world.json(&run_prompted(&repo, &["--branch", "mine", "--wait"]));
    assert_eq!(run["data"]["new_branch"], "mine");
}

// proves L6
#[test]
fn packed_branches_below_agency_are_not_in_the_way() {
    let (world, repo) = world();
    repo.git(&["branch", "agency/older"]);
    repo.git(&["branch", "not/agency"]);
    repo.git(&["pack-refs", "--all"]);
    let run = world.json(&run_prompted(&repo, &["--wait"]));
    assert_eq!(run["data"]["state"], "completed", "{run:#}");
}

// proves L6
#[test]
fn a_branch_is_not_given_to_a_second_run_while_the_first_one_lives() {
    let (world, repo) = world();
    world.agent("waiting", agent::waiting());
    let arguments = ["run", "--repo", path(&repo), "--host", "detached", "--runner", "waiting", "--prompt", "x"];
    let first = world.json(&[&arguments[..], &["--branch", "shared"]].concat());
    refused(&world, &repo, &run_prompted(&repo, &["--branch", "shared"]), ErrorCode::BranchExists);
    world.release("waiting");
    let id = first["data"]["id"].as_str().unwrap();
    assert_eq!(world.json(&["wait", id])["data"]["new_branch"], "shared");
    // Nor afterwards, when the worktree is gone: the branch holds the first run's commits.
    world.ok(&["rm", id]);
    refused(&world, &repo, &run_prompted(&repo, &["--branch", "shared"]), ErrorCode::BranchExists);
}

// proves L6, L21
#[test]
fn a_branch_that_somebody_makes_at_the_last_moment_stays_theirs() {
    let (world, repo) = world();
    let real = super::tmux::git();
    // A git in front of the real one, which is overtaken just before it makes the worktree.
    let script = format!(
        "case \"$*\" in *'worktree add'*) {real:?} -C {:?} branch shared;; esac\nexec {real:?} \"$@\"",
        repo.path
    );
    world.agent("git", script);
    let mut command = world.command(&run_prompted(&repo, &["--branch", "shared", "--json"]));
    command.env("PATH", world.root().join("agents"));
    let error = world.run(&mut command).object();
    assert_eq!(error["error"]["code"], "E_BRANCH_EXISTS", "{error:#}");
    assert_eq!(repo.branches(), ["main", "shared"]);
    assert_eq!(repo.worktrees().len(), 1);
}

// proves L6, L21
#[test]
fn of_two_runs_that_want_the_same_branch_at_once_one_gets_it() {
    let (world, repo) = world();
    let mut arguments = run_prompted(&repo, &["--branch", "shared", "--wait"]);
    arguments.push("--json");
    let racers = [world.spawn(&arguments), world.spawn(&arguments)];
    let answers = racers.map(|racer| racer.wait().object());
    let won = answers.iter().filter(|answer| answer["ok"] == true).count();
    let lost = answers.iter().filter(|answer| answer["error"]["code"] == "E_BRANCH_EXISTS").count();
    assert_eq!((won, lost), (1, 1), "{answers:#?}");
    assert_eq!(repo.worktrees().len(), 2, "the repository's own and the winner's");
    assert_eq!(repo.branches(), ["main", "shared"]);
}
