//! The scenarios of the document about the scratch directory and its links, by their names.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use agency_model::ErrorCode;
use agency_testkit::agent;

use super::fixture::{LIMIT, directory, scratch, wait_until_clean, world};
use agency_testkit::wait_for;

const WAITING: &str = r#"until [ -e "$0.release" ]; do sleep 0.01; done"#;

// proves A2
#[test]
fn create_temp_directory() {
    let world = world(WAITING);
    let asking = world.spawn(&["ask", "-s", "docs", "What?"]);
    let path = scratch(&world);
    let uuid = path.file_name().unwrap().to_str().unwrap().strip_prefix("lctx-").unwrap().to_owned();
    assert_eq!(uuid.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    assert_eq!(path.parent().unwrap(), world.agency_home().join("scratch"));
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    world.release("mine");
    assert!(asking.wait().status.success());
    wait_until_clean(&world);
}

// proves A2
#[test]
fn the_runtime_directory_is_used_if_it_is_the_users_alone() {
    let world = world("pwd");
    let runtime = directory(&world, "runtime");
    let home = world.agency_home().join("scratch");
    for (mode, place) in [(0o700, runtime.join("agency")), (0o755, home.clone()), (0o777, home)] {
        fs::set_permissions(&runtime, fs::Permissions::from_mode(mode)).unwrap();
        let said = world.run(world.command(&["ask", "-s", "docs", "What?"]).env("XDG_RUNTIME_DIR", &runtime));
        assert_eq!(PathBuf::from(said.stdout.trim()).parent().unwrap(), place, "{mode:o}: {said}");
    }
    assert!(fs::read_dir(runtime.join("agency")).unwrap().next().is_none());
}

// proves A2
#[test]
fn the_scratch_directory_is_the_root_of_a_repository_without_hooks() {
    let world = world("git rev-parse --show-toplevel; git status --short | grep -c .; ls .git; pwd");
    let said = world.ok(&["ask", "-s", "docs", "What?"]);
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(lines.first(), lines.last(), "{said}");
    assert_eq!(lines[2..lines.len() - 1], ["HEAD", "config", "objects", "refs"], "{said}");
}

// proves A7
#[test]
fn what_an_earlier_version_left_in_the_temporary_directory_is_cleared() {
    for sweeper in [&["reconcile"][..], &["ask", "-s", "docs", "What?"]] {
        let world = world("true");
        let old = directory(&world, "tmp/lctx-00000000-0000-4000-8000-000000000000");
        fs::write(old.join(".lctx.lock"), world.agency_home().join("runs/gone").to_str().unwrap()).unwrap();
        std::os::unix::fs::symlink(world.root().join("docs"), old.join("docs")).unwrap();
        let plan = world.json(&["reconcile", "--dry-run"]).to_string();
        assert!(plan.contains(old.to_str().unwrap()), "{plan}");
        world.ok(sweeper);
        assert!(!old.exists());
        wait_until_clean(&world);
    }
}

// proves A2
#[test]
fn write_empty_mcp_configs() {
    let world = world("cat .mcp.json .gemini/settings.json .cursor/mcp.json opencode.json");
    let said = world.ok(&["ask", "-s", "docs", "What?"]);
    // Claude Code refuses an empty object where it is told to take it as its configuration.
    assert_eq!(said.stdout, "{\"mcpServers\":{}}\n{}\n{}\n{}\n");
}

// proves A2
#[test]
fn create_parent_directories_for_nested_configs() {
    let world = world("stat -c '%F %a %n' .gemini .cursor .gemini/settings.json");
    let said = world.ok(&["ask", "-s", "docs", "What?"]);
    assert_eq!(said.stdout, "directory 700 .gemini\ndirectory 700 .cursor\nregular file 600 .gemini/settings.json\n");
}

// proves A3, A9
#[test]
fn symlink_git_source() {
    let world = world("readlink langchain; cat langchain/README.md");
    let repo = world.repo("langchain");
    world.ok(&["source", "add", "langchain", "--git", repo.path.to_str().unwrap()]);
    let said = world.ok(&["ask", "-s", "langchain", "What?"]);
    let clone = world.agency_home().join("sources/git/langchain");
    assert_eq!(said.stdout, format!("{}\n# Sample\n", clone.display()));
}

// proves A3
#[test]
fn symlink_file_source() {
    let world = world("readlink note; cat note");
    let said = world.ok(&["ask", "-s", "note", "What?"]);
    assert_eq!(said.stdout, format!("{}\na note\n", world.root().join("note.md").display()));
}

// proves A3
#[test]
fn symlink_directory_source() {
    let world = world("readlink docs; cat docs/a.txt");
    let said = world.ok(&["ask", "-s", "docs", "What?"]);
    assert_eq!(said.stdout, format!("{}\nthe timeout is 42\n", world.root().join("docs").display()));
}

// proves A3
#[test]
fn unknown_source_error() {
    let world = world("true");
    let error = world.error(&["ask", "-s", "doc", "What?"], ErrorCode::SourceNotFound);
    assert_eq!(error["message"], "no source is named 'doc'; did you mean docs?");
    assert!(world.runs().is_empty(), "nothing is made for a question that cannot be asked");
    world.error(&["ask", "-g", "core", "What?"], ErrorCode::SourceNotFound);
    let error = world.error(&["ask", "What?"], ErrorCode::Usage);
    assert_eq!(error["message"], "no source is named");
}

#[test]
fn a_source_that_vanished_is_said_by_its_name_with_the_way_out() {
    let world = world("true");
    fs::rename(world.root().join("docs"), world.root().join("moved")).unwrap();
    let error = world.error(&["ask", "-s", "note,docs", "What?"], ErrorCode::SourceGone);
    assert!(error["message"].as_str().unwrap().starts_with("the source 'docs' is gone: "), "{error:#}");
    assert!(error["hint"].as_str().unwrap().contains("agency source rm docs"), "{error:#}");
    let listed = world.json(&["source", "ls"]);
    assert!(listed["data"]["sources"][0]["problem"].as_str().unwrap().contains("is gone"), "{listed:#}");
}

// proves A7
#[test]
fn what_an_agent_makes_of_its_scratch_directory_goes_and_what_it_links_to_stays() {
    let world = world(
        r#"mkdir -p deep/er; ln -s ../.. deep/er/loop; ln -s . self; ln -s "$PWD/.." parent; touch deep/file
chmod 000 deep/er; chmod 500 deep; rm -f .lctx.lock; chmod 500 .; cat docs/a.txt"#,
    );
    directory(&world, "agency/scratch/beside");
    // A source may be the very directory that the scratch directory is made in.
    let tmp = world.agency_home().join("scratch");
    world.ok(&["source", "add", "tmp", "--dir", tmp.to_str().unwrap()]);
    let said = world.ok(&["ask", "-s", "docs,tmp,note", "What?"]);
    assert_eq!(said.stdout, "the timeout is 42\n");
    wait_until_clean(&world);
    assert!(tmp.join("beside").is_dir());
}

// proves A7
#[test]
fn a_name_that_lies_in_the_scratch_directory_anyway_is_refused() {
    let world = world("true");
    for name in ["prompt.md", "opencode.json", ".mcp.json", ".gemini", ".cursor", ".lctx.lock"] {
        let error = world.error(&["source", "add", name, "--dir", "/"], ErrorCode::InvalidSource);
        assert_eq!(error["details"]["name"], name);
    }
}

#[test]
fn an_ask_is_a_run_that_only_ls_all_shows_and_whose_record_stays() {
    let world = world("echo answer; echo talk >&2");
    world.ok(&["ask", "-s", "docs,note", "What is it?"]);
    assert_eq!(world.json(&["ls"])["data"]["runs"].as_array().unwrap().len(), 0);
    let runs = world.json(&["ls", "--all"])["data"]["runs"].take();
    let run = &runs[0];
    assert_eq!(
        (&run["kind"], &run["state"], &run["workspace"]),
        (&"ask".into(), &"completed".into(), &"scratch".into())
    );
    assert!(!run["removed_at"].is_null(), "{run:#}");
    let run = world.run_with_id(run["id"].as_str().unwrap());
    assert_eq!(run.log("runner.stdout.log"), b"answer\n");
    assert_eq!(run.log("runner.stderr.log"), b"talk\n");
    assert!(fs::read_to_string(run.file("prompt.md")).unwrap().contains("What is it?"));
    let sources: std::collections::BTreeMap<String, PathBuf> =
        serde_json::from_slice(&fs::read(run.file("sources.json")).unwrap()).unwrap();
    assert_eq!(sources["docs"], world.root().join("docs"));
    world.ok(&["show", &run.id]);
    let removed = world.json(&["rm", &run.id]);
    assert_eq!(removed["data"]["notes"][0], "it was removed before");
    world.error(&["resume", &run.id, "--prompt", "go on"], ErrorCode::InvalidState);
}

#[test]
fn a_run_cannot_have_a_scratch_directory() {
    let world = world("true");
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    repo.write("spec.json", &format!(
        "{{\"repo\": {:?}, \"base_ref\": \"HEAD\", \"runner\": {{\"kind\": \"quiet\"}}, \"prompt\": {{\"path\": \"README.md\"}}, \"workspace\": \"scratch\"}}",
        repo.path
    ));
    let error = world.error(&["run", "--spec", repo.path.join("spec.json").to_str().unwrap()], ErrorCode::InvalidSpec);
    assert_eq!(error["details"]["field"], "workspace");
    wait_for("nothing", LIMIT, || world.runs().is_empty().then_some(()));
}
