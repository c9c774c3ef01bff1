//! The limits of the disk make a removal earlier, and give no reason of their own.

use super::{COMMIT, decision, finished, gc, is_removed, worktree, world};

/// More than any disk has, so that the limit is exceeded.
const MUCH: &str = "1000000000";

#[test]
fn a_full_disk_removes_early_what_has_landed_and_nothing_else() {
    let (world, repo) = world(&format!("\n[gc]\nmin_free_gb = {MUCH}\n"));
    let (idle, work) = (finished(&world, &repo, "true"), finished(&world, &repo, COMMIT));
    let landed = finished(&world, &repo, "echo y >landed");
    world.ok(&["land", &landed.id]);
    let report = gc(&world, &["--yes"]);
    for run in [&idle, &landed] {
        let (action, why) = decision(&report, run);
        assert!(action == "removed" && why.contains("gc.min_free_gb demands"), "{why}");
        is_removed(&world, run);
    }
    assert_eq!(decision(&report, &work).0, "keep");
    assert!(worktree(&world, &work).exists());
    assert!(report["limits"]["exceeded_bytes"].as_u64().unwrap() > 0, "{report:#}");
    assert!(world.ok(&["gc", "--dry-run"]).stdout.contains("The limits of [gc] are exceeded"));
}

#[test]
fn a_limit_that_is_kept_removes_nothing_early() {
    let (world, repo) = world("\n[gc]\nmax_gb = 100000\nmin_free_gb = 0\n");
    let run = finished(&world, &repo, "true");
    let report = gc(&world, &["--yes"]);
    assert_eq!(decision(&report, &run).0, "keep");
    assert!(report["limits"]["used_bytes"].as_u64().unwrap() > 0, "{report:#}");
    assert_eq!(report["limits"]["exceeded_bytes"], 0);
}
