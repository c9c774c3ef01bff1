//! Repositories that can and cannot be used.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use agency_model::ErrorCode;
use agency_workspace::{JjError, Repository, WorkspaceError};

use super::world::{JjWorld, KINDS, Kind, with_jj};
use crate::world::{World, write};

// proves P10
#[test]
fn the_root_is_found_from_below_and_the_base_is_what_the_user_works_on() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        for reference in ["HEAD", "@"] {
            let (repository, base) = Repository::open_with_jj(&world.repository.join("dir"), reference).unwrap();
            assert_eq!(repository.root(), world.repository);
            assert_eq!([base.to_string()], *world.commits("@"), "{kind:?}");
        }
        let (_, base) = Repository::open_with_jj(&world.repository, "@-").unwrap();
        assert_eq!([base.to_string()], *world.commits("@-"));
    }
}

#[test]
fn a_revset_that_does_not_mean_one_usable_revision_is_refused() {
    with_jj!();
    let world = JjWorld::new(Kind::Alone);
    for (revset, words) in [
        ("nowhere", "doesn't exist"),
        ("none()", "means no revision"),
        ("::@", "means 3 revisions"),
        ("root()", "is the root"),
        ("a(", "does not resolve"),
        ("-r", "does not resolve"),
        ("", "does not resolve"),
    ] {
        let error = Repository::open_with_jj(&world.repository, revset).unwrap_err();
        assert_eq!(error.code(), ErrorCode::BadRef, "{revset}: {error}");
        assert!(error.to_string().contains(words), "{revset}: {error}");
    }
}

// proves P10
#[test]
fn a_conflicted_revision_is_refused_and_nothing_is_made() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        world.jj(&["bookmark", "create", "one", "-r", "@"]);
        world.jj(&["new", "@-"]);
        world.write("edit.txt", "something else\n");
        world.jj(&["new", "@", "one"]);
        let error = Repository::open_with_jj(&world.repository, "HEAD").unwrap_err();
        assert_eq!(error.code(), ErrorCode::BadRef);
        assert!(error.to_string().contains("is conflicted"), "{kind:?}: {error}");
        assert!(Repository::open_with_jj(&world.repository, "one").is_ok());
        assert_eq!(world.names(), ["default"]);
    }
}

#[test]
fn what_is_no_jj_repository_is_refused() {
    with_jj!();
    let world = World::new();
    let error = Repository::open_with_jj(&world.repository, "HEAD").unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotJjRepo);
    assert!(Repository::kept_by_jj(&world.repository).is_none());
    assert!(Repository::kept_by_jj(&world.root().join("nowhere")).is_none());
}

#[test]
fn a_git_repository_inside_one_of_jj_is_gits() {
    with_jj!();
    let world = JjWorld::new(Kind::Alone);
    assert!(Repository::kept_by_jj(&world.repository.join("dir")).is_some());
    fs::create_dir_all(world.repository.join("inner/.git")).unwrap();
    assert!(Repository::kept_by_jj(&world.repository.join("inner")).is_none());
}

#[test]
fn jjs_own_mistakes_are_told_in_its_words() {
    with_jj!();
    let world = JjWorld::new(Kind::Alone);
    fs::remove_dir_all(world.repository.join(".jj/repo/op_heads")).unwrap();
    let error = Repository::open_with_jj(&world.repository, "HEAD").unwrap_err();
    assert_eq!(error.code(), ErrorCode::BadRef, "{error}");
}

/// Runs in a process whose PATH has no jj, or a stand-in, and is nothing when it is run as a test.
#[test]
fn asker() {
    let Some(directory) = env::var_os("JJ_REPOSITORY_OF_ASKER") else {
        return;
    };
    let error = Repository::open_with_jj(directory.as_ref(), "HEAD").unwrap_err();
    if matches!(error, WorkspaceError::Jj(JjError::Missing)) {
        println!("found: missing");
    } else {
        assert!(matches!(error, WorkspaceError::Jj(JjError::TooOld { .. })), "{error:?}");
        println!("found: {error}");
    }
}

fn ask(world: &World, path: &std::path::Path) -> String {
    fs::create_dir_all(world.repository.join(".jj")).unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "jj::opening::asker", "--nocapture"])
        .env("JJ_REPOSITORY_OF_ASKER", &world.repository)
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

// proves P10
#[test]
fn a_missing_jj_and_an_old_one_are_named() {
    let world = World::new();
    let programs = world.root().join("programs");
    fs::create_dir(&programs).unwrap();
    assert!(ask(&world, &programs).contains("found: missing"));
    let stand_in = programs.join("jj");
    write(&stand_in, "#!/bin/sh\necho jj 0.39.0\n");
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).unwrap();
    let said = ask(&world, &programs);
    assert!(said.contains("found: jj 0.39.0 is too old: jj 0.40 or newer is needed"), "{said}");
}
