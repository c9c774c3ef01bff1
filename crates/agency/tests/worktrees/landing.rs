//! The tree in which `land` runs its checks gets the same.

use std::fs;

use agency_model::ErrorCode;

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
