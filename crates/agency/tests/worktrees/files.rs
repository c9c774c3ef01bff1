//! Copies and links, also where names and links are hostile.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::{finished, propose, worktree, world};

#[test]
fn ignored_files_are_copied_with_their_permissions_and_links_lead_to_the_checkout() {
    let (world, repo) = world();
    repo.write(".env", "secret");
    fs::set_permissions(repo.path.join(".env"), fs::Permissions::from_mode(0o600)).unwrap();
    repo.write("config/a.secret", "a");
    repo.write("config/b.txt", "not ignored");
    repo.write("config/new\nline.secret", "odd");
    repo.write("node_modules/x/index.js", "x");
    repo.write("lib/deep/c.secret", "by the list");
    repo.write(".worktreeinclude", "# comment\nlib/**/*.secret\n");
    let text =
        "[worktree]\ncopy = [\".env\", \"config/*\", \"missing.secret\"]\nlink = [\"node_modules\", \"nothing\"]\n";
    propose(&world, &repo, text);
    let run = finished(&world, &repo, "looker");
    let worktree = worktree(&world, &run);
    assert_eq!(fs::read_to_string(worktree.join(".env")).unwrap(), "secret");
    assert_eq!(fs::metadata(worktree.join(".env")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(worktree.join("config/a.secret")).unwrap(), "a");
    assert_eq!(fs::read_to_string(worktree.join("config/new\nline.secret")).unwrap(), "odd");
    assert_eq!(fs::read_to_string(worktree.join("lib/deep/c.secret")).unwrap(), "by the list");
    assert!(!worktree.join("config/b.txt").exists());
    assert_eq!(fs::read_link(worktree.join("node_modules")).unwrap(), repo.path.join("node_modules"));
    let said = run.messages().join("\n");
    for part in
        ["no file in the checkout fits missing.secret", "config/b.txt is not ignored", "nothing is not in the checkout"]
    {
        assert!(said.contains(part), "{part} is missing: {said}");
    }
    let status = repo.git(&["-C", worktree.to_str().unwrap(), "status", "--porcelain"]);
    assert_eq!(status, "", "neither copies nor links are part of the work");
    assert_eq!(repo.git(&["status", "--porcelain", "--", "node_modules"]), "");
    world.ok(&["rm", &run.id]);
    assert_eq!(
        fs::read_to_string(repo.path.join("node_modules/x/index.js")).unwrap(),
        "x",
        "the link alone is removed"
    );
}

#[test]
fn links_are_not_followed_and_nothing_is_overwritten() {
    let (world, repo) = world();
    let outside = world.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x.secret"), "theirs").unwrap();
    // In the checkout: a link to a file, and a directory that is a link.
    symlink(outside.join("x.secret"), repo.path.join("linked.secret")).unwrap();
    symlink(&outside, repo.path.join("data")).unwrap();
    // In the commit: a directory of the checkout is a link there, and a file is tracked.
    repo.write("tracked.secret", "committed");
    symlink(&outside, repo.path.join("away")).unwrap();
    repo.git(&["add", "-f", "away", "tracked.secret"]);
    repo.git(&["commit", "-qm", "a link"]);
    fs::remove_file(repo.path.join("away")).unwrap();
    repo.write("away/y.secret", "mine");
    repo.write("tracked.secret", "changed here");
    propose(
        &world,
        &repo,
        "[worktree]\ncopy = [\"*.secret\", \"away/*\"]\nlink = [\"data\", \"away/z\", \"tracked.secret\"]\n",
    );
    repo.write("away/z", "linked");
    let run = finished(&world, &repo, "looker");
    let worktree = worktree(&world, &run);
    assert!(worktree.join("linked.secret").symlink_metadata().is_err());
    assert!(worktree.join("data").symlink_metadata().is_err());
    assert_eq!(fs::read_to_string(worktree.join("tracked.secret")).unwrap(), "committed");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "nothing was written through a link");
    let said = run.messages().join("\n");
    for part in [
        "linked.secret is a symbolic link",
        "data is a symbolic link in the checkout",
        "away/y.secret: a link or a file is in the place",
        "tracked.secret is in the worktree already",
    ] {
        assert!(said.contains(part), "{part} is missing: {said}");
    }
}

#[test]
fn what_exceeds_the_limit_is_left_out_with_a_warning() {
    let (world, repo) = world();
    repo.write("a.secret", &"a".repeat(600_000));
    repo.write("b.secret", &"b".repeat(600_000));
    propose(&world, &repo, "[worktree]\ncopy = [\"*.secret\"]\nmax_mb = 1\n");
    let run = finished(&world, &repo, "looker");
    let worktree = worktree(&world, &run);
    assert!(worktree.join("a.secret").exists() && !worktree.join("b.secret").exists());
    assert!(run.messages().join("\n").contains("1 files are left out: worktree.max_mb is 1"), "{:?}", run.messages());
}

#[test]
fn the_plan_says_what_happens_and_does_nothing() {
    let (world, repo) = world();
    repo.write(".env", "secret");
    repo.write("data/x", "x");
    let path = repo.path.to_str().unwrap();
    assert!(world.ok(&["worktree", "plan", "--repo", path]).stdout.contains("has no .agency/project.toml"));
    let text = "[worktree]\ncopy = [\".env\"]\nlink = [\"data\"]\nsetup = [\"make\"]\nteardown = [\"halt\"]\nports = { web = 3000 }\n";
    propose(&world, &repo, text);
    let plan = world.json(&["worktree", "plan", "--repo", path])["data"].take();
    assert_eq!((&plan["copy"][0]["path"], &plan["copy"][0]["bytes"]), (&".env".into(), &6.into()));
    assert_eq!(plan["link"][0]["target"], repo.path.join("data").to_str().unwrap());
    assert_eq!((&plan["setup"][0], &plan["teardown"][0]), (&"make".into(), &"halt".into()));
    assert_eq!((&plan["ports"][0]["variable"], &plan["ports"][0]["usual"]), (&"AGENCY_PORT_WEB".into(), &3000.into()));
    assert_eq!(plan["needs_approval"], false);
    assert!(world.runs().is_empty());
}
