//! The tree in which `land` runs its checks gets the same.

use std::fs;

use agency_model::ErrorCode;
use serde_json::Value;

use super::{finished, propose, world};

const TEXT: &str = "[worktree]\ncopy = [\".env\"]\nlink = [\"data\"]\nsetup = [\"cat .env data/x agent.txt >built || test -z $AGENCY_LAND_TARGET\"]\n\
    [land]\ncheck = [\"cat built\", \"cat built .env\"]\n";

#[test]
fn checks_find_copies_links_and_what_the_setup_made_of_the_merged_files() {
    let (world, repo) = world();
    repo.write(".env", "one ");
    repo.write("data/x", "linked ");
    propose(&world, &repo, TEXT);
    world.agent("writer", "echo first >agent.txt");
    let run = finished(&world, &repo, "writer");
    let output = world.agency(&["land", &run.id]);
    assert!(output.status.success(), "{output}");
    assert!(output.stderr.contains("setup: cat .env data/x agent.txt >built"), "{}", output.stderr);
    let said = |run: &agency_testkit::Run, number: u32| {
        fs::read_to_string(run.file(&format!("land/check-{number}.log"))).unwrap()
    };
    assert_eq!(said(&run, 1), "one linked first\n");
    assert_eq!(said(&run, 2), "one linked first\none ");
    assert!(run.file("land/setup.log").exists());
    // A later landing in the same tree has the files as they are now.
    repo.write(".env", "two ");
    world.agent("other", "echo second >agent.txt");
    let run = finished(&world, &repo, "other");
    world.ok(&["land", &run.id]);
    assert_eq!(said(&run, 1), "two linked second\n");
    assert_eq!(repo.git(&["ls-files"]).lines().filter(|name| name.contains("data") || name.contains("env")).count(), 0);
    assert_eq!(fs::read_to_string(repo.path.join("data/x")).unwrap(), "linked ");
}

#[test]
fn a_setup_that_fails_or_is_not_approved_lands_nothing() {
    let (world, repo) = world();
    propose(&world, &repo, "[worktree]\nsetup = [\"! test -e stop\"]\n");
    world.agent("writer", "echo x >stop");
    let run = finished(&world, &repo, "writer");
    let before = repo.git(&["rev-parse", "main"]);
    let error = world.error(&["land", &run.id, "--check", "true"], ErrorCode::SetupFailed);
    assert!(error["message"].as_str().unwrap().contains("the target branch was not changed"), "{error}");
    repo.write(".agency/project.toml", "[worktree]\nsetup = [\"true\"]\n");
    world.error(&["land", &run.id, "--check", "true"], ErrorCode::NotTrusted);
    assert_eq!(repo.git(&["rev-parse", "main"]), before);
    world.ok(&["land", &run.id, "--check", "true", "--no-setup"]);
    assert_ne!(repo.git(&["rev-parse", "main"]), before);
}

#[test]
fn a_landing_asks_about_setup_and_copies_too_and_the_answer_approves_this_content() {
    let (world, repo) = world();
    let at = ["--repo", repo.path.to_str().unwrap()];
    world.agent("writer", "echo x >agent.txt");
    let run = finished(&world, &repo, "writer");
    repo.write(".worktreeinclude", ".env\n");
    let refused = || world.error(&["land", &run.id, "--check", "test -e .env"], ErrorCode::NotTrusted);
    let open = || -> Vec<Value> { world.json(&["inbox"])["data"]["questions"].as_array().unwrap().clone() };
    refused();
    let [files] = open().try_into().unwrap();
    let title = files["title"].as_str().unwrap();
    assert!(
        title.starts_with("may agency copy or link the files that") && title.contains(".worktreeinclude"),
        "{title}"
    );
    repo.write(
        ".agency/project.toml",
        "[worktree]\ncopy = [\"one\"]\nlink = [\"data\"]\nsetup = [\"touch ran\"]\nteardown = [\"rm ran\"]\n",
    );
    world.error(&["answer", files["id"].as_str().unwrap(), "allow"], ErrorCode::QuestionExpired);
    refused();
    let [both] = open().try_into().unwrap();
    let shown = world.ok(&["inbox"]).stdout;
    let lines = [
        "worktree.setup: touch ran",
        "worktree.teardown: rm ran",
        "worktree.copy: one",
        ".worktreeinclude: .env",
        "worktree.link: data",
    ];
    for text in lines.into_iter().chain(["execute the commands", "copy or link the files"]) {
        assert!(shown.contains(text), "{text} is missing: {shown}");
    }
    // The list is part of the content.
    repo.write(".worktreeinclude", ".env\n*.pem\n");
    world.error(&["answer", both["id"].as_str().unwrap(), "allow"], ErrorCode::QuestionExpired);
    refused();
    let [changed] = open().try_into().unwrap();
    world.ok(&["answer", changed["id"].as_str().unwrap(), "allow"]);
    let stored = world.json(&["trust", "ls"])["data"]["projects"].take();
    let approved = world.json(&["trust", at[0], at[1]])["data"].take();
    assert_eq!((&stored[0]["sha256"], &approved["trusted"]), (&approved["sha256"], &true.into()));
    let entries: Vec<&str> = stored[0]["commands"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(
        entries,
        [
            "touch ran",
            "rm ran",
            "worktree.copy: one",
            ".worktreeinclude: .env",
            ".worktreeinclude: *.pem",
            "worktree.link: data"
        ]
    );
    repo.write(".env", "x");
    world.ok(&["land", &run.id, "--check", "test -e .env && test -e ran"]);
}
