//! The files of a checkout cannot all be updated: they are as they were, and the same command lands later.

use std::fs;

use agency_model::ErrorCode;
use agency_testkit::{Output, Repo, Run, World};

use super::{finished, on, world};

/// Lands where no file can be larger than a megabyte, which stops git in the middle of a file as a full disk does.
fn land_with_small_files(world: &World, repo: &Repo, run: &Run) -> Output {
    let mut shell = world.program("sh");
    // Without the trap the signal would end git.
    shell.args(["-c", "trap '' XFSZ; ulimit -f 2048; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_agency")]);
    world.run(shell.args(["land", &run.id, "--json"]).current_dir(&repo.path))
}

fn code(output: &Output) -> String {
    output.object()["error"]["code"].as_str().unwrap_or_default().to_owned()
}

/// A run that changed, deleted and added files, also a directory in the place of a file, and a large file.
fn worked(world: &World, repo: &Repo) -> Run {
    repo.commit_file("changed", "old\n");
    repo.commit_file("gone", "old\n");
    repo.commit_file("file", "old\n");
    repo.commit_file("program", "echo\n");
    let work = "echo new >changed; rm gone file; mkdir file; echo new >file/inside; ln -s changed link; chmod +x program; \
                mkdir -p sub/large; head -c 3000000 /dev/urandom >sub/large/big; git add -A; git commit -qm work";
    finished(world, repo, work)
}

#[test]
fn what_git_wrote_before_a_file_did_not_fit_is_taken_back() {
    let (world, repo) = world();
    let run = worked(&world, &repo);
    fs::write(repo.path.join("mine"), "untracked\n").unwrap();
    let main = repo.git(&["rev-parse", "main"]);
    let failed = land_with_small_files(&world, &repo, &run);
    assert_eq!(code(&failed), "E_MERGE_FAILED", "{failed}");
    assert!(failed.stdout.contains("unable to write file"), "{failed}");
    assert_eq!(repo.git(&["status", "--porcelain", "--ignored"]), "?? mine\n");
    assert_eq!(repo.git(&["rev-parse", "main"]), main);
    assert!(!repo.path.join("sub").exists(), "no empty directory is left");
    world.ok(&["land", &run.id]);
    assert_eq!(fs::metadata(repo.path.join("sub/large/big")).unwrap().len(), 3_000_000);
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? mine\n");
    assert_eq!(on(&repo, "main", "file/inside"), "new\n");
}

#[test]
fn every_checkout_is_as_it_was_if_one_cannot_be_updated() {
    let (world, repo) = world();
    let run = worked(&world, &repo);
    let second = world.root().join("second");
    repo.git(&["worktree", "add", "-q", "--force", second.to_str().unwrap(), "main"]);
    let failed = land_with_small_files(&world, &repo, &run);
    assert_eq!(code(&failed), "E_MERGE_FAILED", "{failed}");
    let status = |path: &str| repo.git(&["-C", path, "status", "--porcelain", "--ignored"]);
    assert_eq!([status("."), status(second.to_str().unwrap())], ["", ""]);
    world.ok(&["land", &run.id]);
    assert!(second.join("sub/large/big").exists() && repo.path.join("sub/large/big").exists());
}

#[test]
fn a_filter_that_fails_leaves_no_half_update() {
    let (world, repo) = world();
    let server = world.root().join("server");
    fs::write(&server, "up").unwrap();
    repo.commit_file(".gitattributes", "*.big filter=away\n");
    repo.git(&["config", "filter.away.clean", "cat"]);
    repo.git(&["config", "filter.away.smudge", &format!("test -e '{}' && cat", server.display())]);
    repo.git(&["config", "filter.away.required", "true"]);
    repo.commit_file("old.big", "old\n");
    repo.commit_file("a", "old\n");
    repo.commit_file("b", "old\n");
    let run = finished(&world, &repo, "echo new >new.big; echo new >b; rm a; echo new >old.big; mkdir s; echo s >s/s");
    fs::remove_file(&server).unwrap();
    let failed = world.error(&["land", &run.id], ErrorCode::MergeFailed);
    assert!(failed["message"].as_str().unwrap().contains("smudge filter away failed"), "{failed:#}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    fs::write(&server, "up").unwrap();
    world.ok(&["land", &run.id]);
    assert_eq!(on(&repo, "main", "new.big"), "new\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}
