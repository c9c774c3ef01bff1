//! What has landed or changed nothing goes after its time, as `agency rm` removes it.

use std::fs;

use agency_model::ErrorCode;

use super::{AT_ONCE, COMMIT, decision, entry, finished, gc, is_kept, is_removed, set, started, worktree, world};

#[test]
fn runs_that_changed_nothing_or_landed_go_and_their_branches_stay() {
    let (world, repo) = world(AT_ONCE);
    let mut runs = vec![];
    for script in ["true", "exit 3", "mkdir target; echo x >target/built"] {
        runs.push((finished(&world, &repo, script), "changed nothing"));
    }
    let killed = started(&world, &repo, "echo ready; sleep 600");
    killed.wait_for_output("ready");
    world.ok(&["stop", &killed.id]);
    killed.wait_until_unsupervised();
    runs.push((killed, "changed nothing"));
    for strategy in ["merge", "squash", "rebase"] {
        let run =
            finished(&world, &repo, &format!("echo x >{strategy}; git add .; git commit -qm w; echo y >{strategy}-2"));
        world.ok(&["land", &run.id, "--strategy", strategy]);
        runs.push((run, "its work is on main"));
    }
    let merged = finished(&world, &repo, COMMIT);
    repo.git(&["merge", "-q", "--no-edit", &format!("agency/{}", merged.id)]);
    runs.push((merged, "its work is on main"));
    let plan = gc(&world, &["--dry-run"]);
    assert_eq!(plan["dry_run"], true);
    for (run, words) in &runs {
        let (action, why) = decision(&plan, run);
        assert!(action == "remove" && why.contains(words), "{action}, {why}");
        assert!(entry(&plan, run)["bytes"].as_u64().unwrap() > 0 && worktree(&world, run).exists());
    }
    let done = gc(&world, &["--yes"]);
    assert!(done["freed_bytes"].as_u64().unwrap() > 0, "{done:#}");
    for (run, words) in &runs {
        let (action, why) = decision(&done, run);
        assert!(action == "removed" && why.contains(words), "{action}, {why}");
        is_removed(&world, run);
        assert!(repo.branches().contains(&format!("agency/{}", run.id)));
        assert!(run.file("events.ndjson").exists() && !run.file("removing.txt").exists());
    }
    assert_eq!(repo.worktrees(), std::slice::from_ref(&repo.path));
    assert_eq!(repo.git(&["for-each-ref", "refs/agency/saved"]), "");
    assert_eq!(gc(&world, &["--yes"])["entries"], serde_json::json!([]));
}

#[test]
fn what_is_too_young_stays_and_says_for_how_long() {
    let (world, repo) = world("\n[gc]\nage = \"3d\"\nlanded_after = \"36h\"\n");
    let idle = finished(&world, &repo, "true");
    let landed = finished(&world, &repo, COMMIT);
    world.ok(&["land", &landed.id]);
    is_kept(&world, &idle, "stays for 3d");
    is_kept(&world, &landed, "landed on main");
    is_kept(&world, &landed, "stays for 36h");
    set(&world, "landed_after", "0s");
    gc(&world, &["--yes"]);
    is_removed(&world, &landed);
    assert!(worktree(&world, &idle).exists());
}

#[test]
fn it_asks_and_only_a_yes_removes() {
    let (world, repo) = world(AT_ONCE);
    let run = finished(&world, &repo, "true");
    let refused = world.error(&["gc"], ErrorCode::Usage);
    assert!(refused["hint"].as_str().unwrap().contains("--yes"), "{refused}");
    for (key, is_removed) in [("n", false), ("y", true)] {
        let terminal = world.terminal(&["gc"]);
        terminal.wait_for_text("Remove 1 run (");
        terminal.send_keys(&[key, "Enter"]);
        assert_eq!(terminal.wait_for_exit() == 0, is_removed, "{}", terminal.screen());
        assert_eq!(world.show(&run)["removed_at"].is_string(), is_removed, "{}", terminal.screen());
    }
    assert!(world.ok(&["gc"]).stdout.contains("Nothing"), "nothing is left to ask about");
}

#[test]
fn one_repository_is_cleaned_up_alone_and_kept_is_only_listed() {
    let (world, repo) = world(AT_ONCE);
    let other = world.repo("other");
    let (here, there) = (finished(&world, &repo, "true"), finished(&world, &other, "true"));
    let kept = world.agency_home().join("kept/old");
    fs::create_dir_all(&kept).unwrap();
    fs::write(kept.join("file"), "x").unwrap();
    let report = gc(&world, &["--yes", "--repo", other.path.to_str().unwrap()]);
    is_removed(&world, &there);
    assert!(worktree(&world, &here).exists());
    assert_eq!(report["kept_directories"][0]["path"], kept.to_str().unwrap(), "{report:#}");
    assert!(world.ok(&["gc", "--dry-run"]).stdout.contains(kept.to_str().unwrap()));
    assert!(kept.join("file").exists());
}
