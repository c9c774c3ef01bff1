//! Which repository is meant, and which commit and branch.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use agency_model::ErrorCode;
use agency_workspace::{Repository, WorkspaceError};

use crate::world::{World, git, write};

/// Names that break whatever reads paths by lines, words or options.
pub(crate) const WEIRD_NAMES: &[&[u8]] = &[
    b"with space",
    b"it's \"quoted\"",
    b"two\nlines",
    "\u{fc}n\u{ef}c\u{f6}d\u{e9} \u{1f980}".as_bytes(),
    b"-dash",
    b"--help",
    b"not\xffutf8",
    b"colon:semi;$HOME`id`\\",
];

#[test]
fn a_subdirectory_opens_the_top_of_its_repository() {
    let world = World::new();
    let repository = Repository::open(&world.repository.join("dir")).unwrap();
    assert_eq!(repository.root(), world.repository);
    assert_eq!(repository.common_dir().unwrap(), world.repository.join(".git"));
    assert_eq!(repository.fingerprint().len(), 16);
}

#[test]
fn a_symlink_opens_the_real_place() {
    let world = World::new();
    let link = world.root().join("link");
    std::os::unix::fs::symlink(&world.repository, &link).unwrap();
    assert_eq!(Repository::open(&link).unwrap().root(), world.repository);
}

#[test]
fn any_name_of_a_directory_is_found_with_its_commit() {
    for name in WEIRD_NAMES {
        let world = World::with_repository(OsStr::from_bytes(name));
        let (repository, commit) = Repository::open_at(&world.repository, "main").unwrap();
        assert_eq!(repository.root(), world.repository);
        assert_eq!(commit, world.head());
        assert_eq!(repository.common_dir().unwrap(), world.repository.join(".git"));
    }
}

#[test]
fn head_is_the_same_whether_it_is_read_from_files_or_by_git() {
    let world = World::new();
    let agrees = |path: &Path| {
        let (found, asked) = (Repository::open_in_place(path, "HEAD"), Repository::open_at(path, "HEAD"));
        match (found, asked) {
            (Ok(found), Ok(asked)) => assert_eq!(found, asked, "{}", path.display()),
            (found, asked) => assert_eq!(found.unwrap_err().code(), asked.unwrap_err().code(), "{}", path.display()),
        }
    };
    let linked = world.root().join("linked");
    world.git(["worktree", "add", "-q", linked.to_str().unwrap()]);
    fs::create_dir(world.root().join("elsewhere")).unwrap();
    let check = |_: String| {
        for path in [&world.repository, &world.repository.join("dir"), &linked, &world.root()] {
            agrees(path);
        }
    };
    check(world.git(["checkout", "-q", "-b", "topic/deep"]));
    check(world.git(["pack-refs", "--all"]));
    check(world.git(["commit", "-q", "--allow-empty", "-m", "newer than what is packed"]));
    check(world.git(["symbolic-ref", "refs/heads/other", "refs/heads/topic/deep"]));
    check(world.git(["symbolic-ref", "HEAD", "refs/heads/other"]));
    check(world.git(["checkout", "-q", "--detach", "main"]));
    check(world.git(["checkout", "-q", "-B", "new", "main"]));
    check(world.git(["symbolic-ref", "HEAD", "refs/heads/unborn"]));
    check(world.git(["config", "core.worktree", "../../elsewhere"]));
}

#[test]
fn a_missing_path_a_file_and_a_plain_directory_are_told_apart() {
    let world = World::new();
    let code = |path: &Path| Repository::open(path).unwrap_err().code();
    assert_eq!(code(&world.root().join("nowhere")), ErrorCode::NotGitRepo);
    assert_eq!(code(&world.repository.join("a.txt")), ErrorCode::NotGitRepo);
    assert_eq!(code(Path::new("")), ErrorCode::NotGitRepo);
    let missing = Repository::open(&world.root().join("nowhere")).unwrap_err();
    assert!(matches!(missing, WorkspaceError::PathMissing { .. }), "{missing}");
    let file = Repository::open(&world.repository.join("a.txt")).unwrap_err();
    assert!(matches!(file, WorkspaceError::NotADirectory { .. }), "{file}");
    let error = Repository::open(&world.root()).unwrap_err();
    assert!(matches!(error, WorkspaceError::NotARepository { .. }), "{error}");
    assert_eq!(error.code(), ErrorCode::NotGitRepo);
}

#[test]
fn a_bare_repository_and_a_git_directory_have_no_working_tree() {
    let world = World::new();
    git(&world.root(), ["init", "-q", "--bare", "bare"]);
    for path in [world.root().join("bare"), world.repository.join(".git")] {
        let error = Repository::open_at(&path, "HEAD").unwrap_err();
        assert!(matches!(error, WorkspaceError::BareRepository { .. }), "{error}");
        assert_eq!(error.code(), ErrorCode::NotGitRepo);
    }
}

#[test]
fn a_repository_without_a_commit_says_what_to_do() {
    let world = World::without_commit(OsStr::new("repo"));
    let error = Repository::open_at(&world.repository, "HEAD").unwrap_err();
    assert_eq!(error.code(), ErrorCode::BadRef);
    assert!(error.to_string().contains("make a first commit"), "{error}");
}

#[test]
fn only_a_ref_that_names_one_commit_is_a_base() {
    let world = World::new();
    world.git(["tag", "-a", "-m", "annotated", "v1"]);
    let at = |reference: &str| Repository::open_at(&world.repository, reference);
    for good in ["HEAD", "main", "refs/heads/main", "v1", &world.head().as_str()[..8]] {
        assert_eq!(at(good).unwrap().1, world.head(), "{good}");
    }
    for bad in ["", "nope", "--help", "-x", "--all", "^HEAD", "HEAD..HEAD", "HEAD:a.txt", "HEAD^{tree}", "a\0b", "a b"]
    {
        let error = at(bad).unwrap_err();
        assert!(matches!(error, WorkspaceError::BadRef { .. }), "{bad}: {error}");
        assert_eq!(error.code(), ErrorCode::BadRef);
    }
}

#[test]
fn a_repository_of_another_user_is_refused_with_the_way_out() {
    let world = World::new();
    if !rustix::process::geteuid().is_root() {
        return;
    }
    for path in [world.repository.clone(), world.repository.join(".git")] {
        std::os::unix::fs::chown(path, Some(12345), None).unwrap();
    }
    // A machine may allow every directory, as build servers do.
    if let Err(error) = Repository::open(&world.repository) {
        assert!(error.to_string().contains("safe.directory"), "{error}");
        assert_eq!(error.code(), ErrorCode::NotGitRepo);
    }
}

// proves L6
#[test]
fn a_branch_name_must_be_valid_and_free() {
    let world = World::new();
    let repository = Repository::open(&world.repository).unwrap();
    world.git(["branch", "agency"]);
    world.git(["branch", "team/one/two"]);
    world.git(["checkout", "-q", "agency"]);
    world.git(["checkout", "-q", "main"]);
    for good in ["new", "team/two", "team/one/three", "agency-2/x", "\u{fc}ber"] {
        repository.check_new_branch(good).unwrap();
    }
    for bad in
        ["", "-x", "--help", "@{-1}", "@", "HEAD", "a b", "a..b", "x.lock", "/a", "a/", "a~1", "a*", "a\nb", "a\0b"]
    {
        let error = repository.check_new_branch(bad).unwrap_err();
        assert!(matches!(error, WorkspaceError::InvalidBranchName { .. }), "{bad}: {error}");
        assert_eq!(error.code(), ErrorCode::BadRef);
    }
    for taken in ["main", "agency", "team/one/two"] {
        assert_eq!(repository.check_new_branch(taken).unwrap_err().code(), ErrorCode::BranchExists, "{taken}");
    }
    for blocked in ["agency/x", "agency/x/y", "team", "team/one"] {
        let error = repository.check_new_branch(blocked).unwrap_err();
        assert!(matches!(error, WorkspaceError::BranchBlocked { .. }), "{blocked}: {error}");
    }
}

#[test]
fn a_root_that_lost_its_repository_is_not_the_one_around_it() {
    let world = World::new();
    let inner = world.repository.join("inner");
    write(&inner.join("file"), "x");
    let lost = Repository::from_root(inner.clone());
    assert!(matches!(lost.common_dir(), Err(WorkspaceError::NotARepository { .. })));
    fs::remove_dir_all(inner).unwrap();
    assert!(matches!(lost.common_dir(), Err(WorkspaceError::PathMissing { .. })));
}
