//! Sources: added, listed, fetched, grouped, removed, and taken over.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::thread;

use agency_model::ErrorCode;
use serde_json::{Value, json};

use super::fixture::{directory, empty, sources_are_intact};

// proves A9
#[test]
fn a_repository_is_fetched_at_once_at_its_ref_and_anew_by_sync() {
    let world = empty();
    let repo = world.repo("origin");
    let url = format!("file://{}", repo.path.display());
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    let old = repo.commit_file("b.txt", "one\n");
    repo.git(&["checkout", "--quiet", "main"]);
    let added = world.json(&["source", "add", "lib", "--git", &url, "--ref", "other", "--description", "A library"]);
    assert_eq!((&added["data"]["kind"], &added["data"]["ref"]), (&"git".into(), &"other".into()), "{added:#}");
    assert_eq!(added["data"]["problem"], Value::Null);
    let clone = world.agency_home().join("sources/git/lib");
    assert_eq!(fs::read_to_string(clone.join("b.txt")).unwrap(), "one\n");
    repo.git(&["checkout", "--quiet", "other"]);
    let new = repo.commit_file("b.txt", "two\n");
    let synced = world.json(&["source", "sync"])["data"]["sources"].take();
    assert_eq!(synced, json!([{ "name": "lib", "commit": new, "new": false, "shallow": true, "error": null }]));
    assert_eq!(fs::read_to_string(clone.join("b.txt")).unwrap(), "two\n");
    // A commit that only a full fetch brings.
    let short = old.get(..10).unwrap();
    world.ok(&["source", "add", "old", "--git", &url, "--ref", short]);
    let synced = world.json(&["source", "sync", "old"])["data"]["sources"].take();
    assert_eq!((&synced[0]["commit"], &synced[0]["shallow"]), (&old.into(), &false.into()), "{synced:#}");
    world.ok(&["source", "rm", "lib"]);
    assert!(!clone.exists());
    assert!(repo.path.join("README.md").exists());
}

// proves A9
#[test]
fn one_that_fails_does_not_spoil_the_others() {
    let world = empty();
    let repo = world.repo("origin");
    world.ok(&["source", "add", "good", "--git", repo.path.to_str().unwrap(), "--no-sync"]);
    world.ok(&["source", "add", "bad", "--git", "/nowhere/at/all", "--no-sync"]);
    world.ok(&["source", "add", "worse", "--git", repo.path.to_str().unwrap(), "--ref", "no-such-ref", "--no-sync"]);
    let error = world.error(&["ask", "-s", "good", "x"], ErrorCode::SourceGone);
    assert_eq!(error["hint"], "agency source sync good fetches it");
    let error = world.error(&["source", "sync"], ErrorCode::SyncFailed);
    assert_eq!(error["message"], "2 of 3 sources could not be fetched");
    let of = |name: &str| {
        let all = error["details"]["sources"].as_array().unwrap();
        all.iter().find(|source| source["name"] == name).unwrap().clone()
    };
    assert!(of("good")["commit"].is_string(), "{error:#}");
    assert!(of("bad")["error"].as_str().unwrap().contains("/nowhere/at/all"), "{error:#}");
    assert!(of("worse")["error"].as_str().unwrap().contains("no-such-ref"), "{error:#}");
    let output = world.agency(&["source", "sync"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.contains("good  ") && output.stdout.contains("bad  failed"), "{output}");
    // What cannot be fetched at all is not added.
    world.error(&["source", "add", "typo", "--git", "/nowhere"], ErrorCode::SyncFailed);
    world.error(&["source", "show", "typo"], ErrorCode::SourceNotFound);
}

// proves A9
#[test]
fn names_and_addresses_that_cannot_be_are_refused() {
    let world = empty();
    for name in ["..", "/", "a b", "a\nb", "", "a/b", ".hidden", "-x", "a,b"] {
        world.error(&["source", "add", "--dir", "/", "--", name], ErrorCode::InvalidSource);
        world.error(&["source", "group", "add", "--", name, "docs"], ErrorCode::InvalidSource);
    }
    for url in ["-x", "--upload-pack=touch /tmp/evil", "ext::sh -c id", ""] {
        world.error(&["source", "add", "x", "--git", url], ErrorCode::InvalidSource);
    }
    world.error(&["source", "add", "x", "--git", "/x", "--ref", "--evil"], ErrorCode::InvalidSource);
    world.error(&["source", "add", "docs", "--dir", "/"], ErrorCode::SourceExists);
    world.error(&["source", "add", "x", "--dir", "/nowhere"], ErrorCode::SourceGone);
    world.error(&["source", "add", "x", "--file", "/"], ErrorCode::SourceGone);
    world.error(&["source", "rm", "x"], ErrorCode::SourceNotFound);
    world.error(&["source", "sync", "x"], ErrorCode::SourceNotFound);
    world.error(&["source", "sync", "docs"], ErrorCode::InvalidSource);
}

#[test]
fn a_transport_that_starts_a_program_is_not_used_even_if_the_list_is_edited() {
    let world = empty();
    let list = world.root().join("home/sources.toml");
    fs::write(&list, "[sources.evil]\ngit = 'ext::sh -c touch% /tmp/evil'\n").unwrap();
    let error = world.error(&["source", "sync"], ErrorCode::InvalidConfig);
    assert!(error["message"].as_str().unwrap().contains("names a program to start"), "{error:#}");
    // Git itself would do it by a setting of the user's.
    let witness = world.root().join("witness");
    let setting = format!("[url \"ext::sh -c touch% {}% \"]\n\tinsteadOf = evil:\n", witness.display());
    fs::write(world.root().join("home/gitconfig"), setting).unwrap();
    fs::write(&list, "[sources.evil]\ngit = 'evil:x'\n").unwrap();
    world.error(&["source", "sync"], ErrorCode::SyncFailed);
    assert!(!witness.exists());
}

#[test]
fn hooks_of_a_template_do_not_run_and_nobody_else_s_repository_is_touched() {
    let world = empty();
    let repo = world.repo("origin");
    let witness = world.root().join("witness");
    let hooks = directory(&world, "template/hooks");
    fs::write(hooks.join("post-checkout"), format!("#!/bin/sh\ntouch {}\n", witness.display())).unwrap();
    fs::set_permissions(hooks.join("post-checkout"), fs::Permissions::from_mode(0o755)).unwrap();
    let template = world.root().join("template");
    fs::write(world.root().join("home/gitconfig"), format!("[init]\n\ttemplateDir = {}\n", template.display()))
        .unwrap();
    world.ok(&["source", "add", "lib", "--git", repo.path.to_str().unwrap()]);
    assert!(!witness.exists());
    // A repository of the user's lies where a clone would go.
    let own = world.repo("own");
    own.write("work.txt", "not committed\n");
    let clones = world.agency_home().join("sources/git");
    fs::rename(&own.path, clones.join("mine")).unwrap();
    let output = world.agency(&["source", "add", "mine", "--git", repo.path.to_str().unwrap()]);
    assert!(!output.status.success(), "{output}");
    assert_eq!(fs::read_to_string(clones.join("mine/work.txt")).unwrap(), "not committed\n");
}

#[test]
fn a_password_in_an_address_is_neither_shown_nor_on_a_command_line() {
    let world = empty();
    world.ok(&["source", "add", "x", "--git", "https://me:s3cret@127.0.0.1:9/x.git", "--no-sync"]);
    for arguments in [&["source", "ls"][..], &["source", "show", "x"], &["source", "sync"]] {
        let output = world.agency(arguments);
        assert!(!output.stdout.contains("s3cret") && !output.stderr.contains("s3cret"), "{output}");
    }
    let mode = fs::metadata(world.root().join("home/sources.toml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_mistake_in_the_list_is_told_with_its_line() {
    let world = empty();
    let list = world.root().join("home/sources.toml");
    let cases = [
        ("[sources.a]\ndirr = '/x'\n", 2, "`sources.a.dirr`: unknown key; did you mean `dir`?"),
        ("\n[source.a]\ndir = '/x'\n", 2, "`source`: unknown key; did you mean `sources`?"),
        ("[sources.a]\ndir = 5\n", 2, "expected a string, found the number 5"),
        ("[sources.a]\ndescription = 'x'\n", 1, "expected one of `git`, `dir` and `file`"),
        ("[sources.a]\ndir = 'relative'\n", 1, "expected an absolute path"),
        ("[sources.\"a b\"]\ndir = '/'\n", 1, "it has a space"),
        ("[sources.a]\ndir = '/'\nref = 'x'\n", 1, "`ref` belongs to `git`"),
        ("a = = b", 1, "not valid TOML"),
    ];
    for (text, line, words) in cases {
        fs::write(&list, text).unwrap();
        let error = world.error(&["source", "ls"], ErrorCode::InvalidConfig);
        assert_eq!(error["details"]["line"], line, "{error:#}");
        assert!(error["message"].as_str().unwrap().contains(words), "{error:#}");
        world.error(&["source", "add", "x", "--dir", "/"], ErrorCode::InvalidConfig);
        assert_eq!(fs::read_to_string(&list).unwrap(), text, "a list that is not understood is not overwritten");
    }
}

#[test]
fn many_who_add_at_once_lose_nothing() {
    let world = empty();
    thread::scope(|scope| {
        for number in 0..12 {
            let world = &world;
            scope.spawn(move || world.ok(&["source", "add", &format!("s{number}"), "--dir", "/"]));
        }
    });
    let sources = world.json(&["source", "ls"])["data"]["sources"].take();
    assert_eq!(sources.as_array().unwrap().len(), 14);
}

#[test]
fn a_list_that_is_a_link_stays_one() {
    let world = empty();
    let list = world.root().join("home/sources.toml");
    let real = world.root().join("real.toml");
    fs::rename(&list, &real).unwrap();
    symlink(&real, &list).unwrap();
    world.ok(&["source", "add", "x", "--dir", "/"]);
    assert!(fs::symlink_metadata(&list).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("[sources.x]"));
}

// proves A9
#[test]
fn groups_are_made_listed_and_forgotten_and_a_source_leaves_them_when_it_goes() {
    let world = empty();
    world.ok(&["source", "group", "add", "core", "docs", "note", "docs"]);
    world.ok(&["source", "group", "add", "one", "note"]);
    world.error(&["source", "group", "add", "core", "docs"], ErrorCode::SourceExists);
    world.error(&["source", "group", "add", "other", "nothing"], ErrorCode::SourceNotFound);
    let groups = world.json(&["source", "group", "list"])["data"]["groups"].take();
    assert_eq!(groups[0], json!({ "name": "core", "sources": ["docs", "note"] }));
    let removed = world.json(&["source", "remove", "note"]);
    assert_eq!(removed["data"]["left_groups"], json!(["core", "one"]));
    let groups = world.json(&["source", "group", "ls"])["data"]["groups"].take();
    assert_eq!(groups, json!([{ "name": "core", "sources": ["docs"] }]));
    world.ok(&["source", "group", "rm", "core"]);
    world.error(&["source", "group", "rm", "core"], ErrorCode::SourceNotFound);
    sources_are_intact(&world);
}

// proves A9
#[test]
fn the_configuration_of_lctx_is_taken_over() {
    let world = empty();
    fs::create_dir_all(world.root().join("home/notes")).unwrap();
    let config = json!({
        "sourcesDirectory": "~/.config/lctx/sources",
        "defaultAgent": "claude-code",
        "agents": { "claude-code": { "commands": { "chat": "claude", "ask": "claude -p {prompt_file}" } } },
        "somethingNew": 5,
        "sources": [
            { "type": "git", "name": "langchain", "url": "https://example.com/x", "branch": "main", "lastUpdated": "now" },
            { "type": "directory", "name": "notes", "path": "~/notes", "description": "Mine" },
            { "type": "file", "name": "gone", "path": "/nowhere.md" },
            { "type": "docs", "name": "site", "url": "https://example.com" },
            { "type": "directory", "name": "docs", "path": "/" },
        ],
        "groups": { "core": ["langchain", "notes"], "bad": ["nobody"], "other": { "sources": ["notes"] } },
    });
    let path = world.root().join("lctx.json");
    fs::write(&path, config.to_string()).unwrap();
    let imported = world.json(&["source", "import", path.to_str().unwrap()])["data"].take();
    assert_eq!(imported["sources"], json!(["langchain", "notes"]));
    assert_eq!(imported["groups"], json!(["core", "other"]));
    assert_eq!(imported["skipped"].as_array().unwrap().len(), 4, "{imported:#}");
    let notes = world.json(&["source", "show", "notes"])["data"].take();
    assert_eq!((&notes["description"], &notes["groups"]), (&"Mine".into(), &json!(["core", "other"])));
    assert_eq!(world.json(&["source", "show", "langchain"])["data"]["ref"], "main");
    fs::write(&path, "[]").unwrap();
    world.error(&["source", "import", path.to_str().unwrap()], ErrorCode::InvalidConfig);
    world.error(&["source", "import", "/nowhere.json"], ErrorCode::InvalidConfig);
}

#[test]
fn a_path_to_a_repository_is_meant_from_where_the_user_stands() {
    let world = empty();
    let repo = world.repo("origin");
    let output =
        world.run(world.command(&["source", "add", "lib", "--git", "origin"]).current_dir(repo.path.parent().unwrap()));
    assert!(output.status.success(), "{output}");
    assert_eq!(world.json(&["source", "show", "lib"])["data"]["url"], repo.path.to_str().unwrap());
    world.ok(&["source", "sync", "lib"]);
    // What would make the list unreadable is not added.
    world.error(&["source", "add", "x", "--dir", "/", "--description", "a\nb"], ErrorCode::InvalidSource);
    let file = world.root().join("lctx.json");
    fs::write(&file, json!({ "sources": [{ "type": "directory", "name": "rel", "path": "." }] }).to_string()).unwrap();
    let imported = world.json(&["source", "import", file.to_str().unwrap()]);
    assert_eq!(imported["data"]["skipped"].as_array().unwrap().len(), 1, "{imported:#}");
    world.ok(&["source", "ls"]);
}

#[test]
fn clones_go_where_the_configuration_says() {
    let world = empty();
    let place = world.root().join("clones");
    world.set("sources_dir", &format!("{place:?}"));
    let repo = world.repo("origin");
    world.ok(&["source", "add", "lib", "--git", repo.path.to_str().unwrap()]);
    assert!(place.join("git/lib/README.md").exists());
}
