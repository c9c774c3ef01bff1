//! Several runs land in the order given, and two commands at once do not disturb each other.

use agency_model::ErrorCode;
use std::time::Duration;

use agency_testkit::{conversation, wait_for};

use super::{events, finished, on, world};

#[test]
fn runs_land_in_the_order_given_and_the_first_failure_ends_it() {
    let (world, repo) = world();
    let one = finished(&world, &repo, "echo 1 >one");
    let two = finished(&world, &repo, "echo agent >README.md");
    let three = finished(&world, &repo, "echo 3 >three");
    repo.commit_file("README.md", "user\n");
    let error = world.error(&["land", &one.id, &two.id, &three.id], ErrorCode::MergeConflict);
    assert_eq!(error["details"]["landed"], serde_json::json!([one.id]));
    assert_eq!(error["details"]["run"], two.id.as_str());
    assert_eq!(error["details"]["left"], serde_json::json!([three.id]));
    assert_eq!(on(&repo, "main", "one").trim(), "1");
    let landed = world.json(&["land", &three.id, &one.id])["data"]["landed"].take();
    assert_eq!((&landed[0]["id"], &landed[0]["already"]), (&three.id.as_str().into(), &false.into()));
    assert_eq!((&landed[1]["id"], &landed[1]["already"]), (&one.id.as_str().into(), &true.into()));
}

#[test]
fn a_target_that_moves_during_the_check_is_merged_and_checked_again() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo agent >agent.txt");
    let check = format!(
        "ls; if ! test -e user.txt; then cd {} && echo u >user.txt && git add user.txt && git commit -qm user; fi",
        repo.path.display()
    );
    world.ok(&["land", &run.id, "--check", &check]);
    assert_eq!(events(&run, &["landing", "checked", "landed"]), ["landing", "checked", "checked", "landed"]);
    let seen = std::fs::read_to_string(run.file("land/check-1.log")).unwrap();
    assert!(seen.contains("user.txt") && seen.contains("agent.txt"), "{seen}");
    assert_eq!(on(&repo, "main", "user.txt").trim(), "u");
}

#[test]
fn work_that_is_added_during_the_check_does_not_land_unseen() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo agent >agent.txt");
    let worktree = world.show(&run)["worktree_path"].as_str().unwrap().to_owned();
    let check = format!("cd '{worktree}' && echo more >more.txt && git add more.txt && git commit -qm more");
    let error = world.error(&["land", &run.id, "--check", &check], ErrorCode::NotReady);
    assert!(error["message"].as_str().unwrap().contains("its branch was changed while it landed"), "{error}");
    assert!(world.show(&run)["landed_at"].is_null());
    world.ok(&["land", &run.id]);
    assert_eq!(on(&repo, "main", "more.txt").trim(), "more");
}

#[test]
fn a_run_that_is_resumed_during_the_check_lands_as_it_was_checked() {
    let (world, repo) = world();
    let script = "hear_message\ncase \"$*\" in *--resume*) echo more >more.txt ;; *) echo first >first.txt ;; esac\n\
                  finish done\nhear_the_end";
    world.agent("talker", conversation::speaking(script));
    let run = world.begin(&repo, "talker", &["--host", "detached", "--mode", "headless"]);
    world.ended(&run);
    let gate = world.root().join("gate");
    let check = format!("until test -e '{}'; do sleep 0.02; done; ls", gate.display());
    let landing = world.spawn(&["land", &run.id, "--check", &check]);
    wait_for("the check", Duration::from_secs(30), || std::fs::metadata(run.file("land/check-1.log")).ok());
    let resumed = world.json(&["resume", &run.id, "--prompt", "more", "--wait"])["data"].take();
    assert_eq!(resumed["state"], "completed", "{resumed:#}");
    std::fs::write(&gate, "").unwrap();
    let output = landing.wait();
    assert_eq!(output.status.code(), Some(0), "{}", output.stderr);
    let landed = || repo.git(&["ls-tree", "--name-only", "main"]);
    assert!(landed().contains("first.txt") && !landed().contains("more.txt"), "{}", landed());
    world.ok(&["land", resumed["id"].as_str().unwrap()]);
    assert!(landed().contains("more.txt"), "{}", landed());
}

#[test]
fn two_landings_at_once_both_land_and_the_same_run_only_once() {
    let (world, repo) = world();
    let one = finished(&world, &repo, "echo 1 >one");
    let two = finished(&world, &repo, "echo 2 >two");
    let gate = world.root().join("gate");
    let check = format!("until test -e '{}'; do sleep 0.02; done; ls", gate.display());
    let first = world.spawn(&["land", &one.id, "--check", &check]);
    let began = || std::fs::metadata(one.file("land/check-1.log")).ok();
    wait_for("the check of the first", Duration::from_secs(30), began);
    let error = world.error(&["land", &one.id, "--check", &check], ErrorCode::NotReady);
    assert!(error["message"].as_str().unwrap().contains("another agency land of it is running"), "{error}");
    let second = world.spawn(&["land", &two.id, "--check", &check]);
    wait_for("the second to wait", Duration::from_secs(30), || {
        second.stderr().contains("waiting for the checks").then_some(())
    });
    std::fs::write(&gate, "").unwrap();
    for process in [first, second] {
        let output = process.wait();
        assert_eq!(output.status.code(), Some(0), "{}", output.stderr);
    }
    assert_eq!((on(&repo, "main", "one").trim(), on(&repo, "main", "two").trim()), ("1", "2"));
    assert_eq!((events(&one, &["landed"]).len(), events(&two, &["landed"]).len()), (1, 1));
    let seen = std::fs::read_to_string(two.file("land/check-1.log")).unwrap();
    assert!(seen.contains("one") && seen.contains("two"), "what landed was checked: {seen}");
}
