//! The agent of a run resolves the conflicts of its work; its word is not believed.

use agency_model::ErrorCode;
use agency_testkit::{Repo, Run, World, conversation};

use super::{events, on, world};

/// The first run writes two files; the second, which continues it, does what `resolve` says.
fn conflicting(resolve: &str) -> (World, Repo, Run) {
    let (world, repo) = world();
    repo.commit_file("shared.txt", "base\n");
    repo.commit_file("other.txt", "base\n");
    let script = format!(
        "hear_message\nif is 'git merge --no-edit'; then\n{resolve}\nelse\n\
         echo agent >shared.txt; echo agent >own.txt\nfi\nfinish 'Everything is resolved.'\nhear_the_end"
    );
    world.agent("worker", conversation::speaking(&script));
    let run = world.begin(&repo, "worker", &["--host", "detached", "--mode", "headless"]);
    world.ended(&run);
    repo.write("shared.txt", "user\n");
    repo.commit_file("other.txt", "user\n");
    (world, repo, run)
}

const MERGE: &str = "git merge --no-edit main >/dev/null 2>&1\n";

fn land(run: &Run) -> [&str; 4] {
    ["land", &run.id, "--on-conflict", "agent"]
}

#[test]
fn the_agent_resolves_the_conflict_in_its_worktree_and_the_work_lands() {
    let (world, repo, run) = conflicting(&format!("{MERGE}echo both >shared.txt; git add -A; git commit -q --no-edit"));
    let landed = world.json(&land(&run))["data"]["landed"][0].take();
    assert_eq!(on(&repo, "main", "shared.txt").trim(), "both");
    assert_eq!((on(&repo, "main", "other.txt").trim(), on(&repo, "main", "own.txt").trim()), ("user", "agent"));
    let resolver = world.run_with_id(landed["id"].as_str().unwrap());
    assert_ne!(resolver.id, run.id, "the conversation continues in a run of its own");
    for run in [&run, &resolver] {
        assert_eq!(world.show(run)["landed_commit"], landed["commit"], "both share the branch");
    }
    assert_eq!(events(&run, &["landed", "land_failed"]), ["land_failed", "landed"]);
}

#[test]
fn an_agent_that_does_nothing_is_asked_so_often_and_no_more() {
    let (world, repo, run) = conflicting("true");
    let before = repo.git(&["rev-parse", "main"]);
    world.error(&land(&run), ErrorCode::MergeConflict);
    assert_eq!(world.runs().len(), 3, "two attempts");
    assert_eq!(repo.git(&["rev-parse", "main"]), before);
    world.set("land.attempts", "1");
    world.error(&land(&run), ErrorCode::MergeConflict);
    assert_eq!(world.runs().len(), 4);
}

#[test]
fn conflict_markers_and_dropped_changes_do_not_land() {
    for (resolve, field, file) in [
        (format!("{MERGE}git add -A; git commit -q --no-edit"), "markers", "shared.txt"),
        ("git merge -q -s ours --no-edit main".to_owned(), "dropped", "other.txt"),
    ] {
        let (world, repo, run) = conflicting(&resolve);
        let before = repo.git(&["rev-parse", "main"]);
        let error = world.error(&land(&run), ErrorCode::MergeConflict);
        assert_eq!(error["details"][field], serde_json::json!([file]), "{error}");
        assert_eq!(repo.git(&["rev-parse", "main"]), before);
        world.error(&["land", &run.id], ErrorCode::MergeConflict);
    }
}

#[test]
fn a_part_of_the_changes_of_the_target_that_is_undone_does_not_land() {
    let lines = |changed: &[usize]| {
        let line = |number: usize| if changed.contains(&number) { "user\n".to_owned() } else { format!("{number}\n") };
        (1..=30).map(line).collect::<String>()
    };
    for (undo, dropped) in [("2s/.*/2/", true), ("29s/.*/agent, again/", false)] {
        let (world, repo) = world();
        repo.commit_file("shared.txt", "base\n");
        repo.commit_file("many.txt", &lines(&[]));
        let script = format!(
            "hear_message\nif is 'git merge --no-edit'; then\n{MERGE}echo both >shared.txt; git add -A\n\
             git commit -q --no-edit; sed -i '{undo}' many.txt; git commit -qam more\nelse\n\
             echo agent >shared.txt; sed -i '29s/.*/agent/' many.txt\nfi\nfinish Done.\nhear_the_end"
        );
        world.agent("worker", conversation::speaking(&script));
        let run = world.begin(&repo, "worker", &["--host", "detached", "--mode", "headless"]);
        world.ended(&run);
        repo.write("shared.txt", "user\n");
        repo.commit_file("many.txt", &lines(&[2, 15]));
        if dropped {
            let error = world.error(&land(&run), ErrorCode::MergeConflict);
            assert_eq!(error["details"]["dropped"], serde_json::json!(["many.txt"]), "{error}");
            assert_eq!(on(&repo, "main", "many.txt").trim(), lines(&[2, 15]).trim());
        } else {
            world.ok(&land(&run));
            let landed = on(&repo, "main", "many.txt");
            assert!(landed.contains("agent, again") && landed.matches("user").count() == 2, "{landed}");
        }
    }
}
