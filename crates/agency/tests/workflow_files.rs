//! The files of workflows: checked, rendered and written, without running any.

#![expect(clippy::unwrap_used, reason = "the functions that these tests share tell a failure by a panic too")]

use agency_model::ErrorCode;
use agency_testkit::{Repo, World};
use serde_json::Value;

fn world() -> (World, Repo) {
    let world = World::new(env!("CARGO_BIN_EXE_agency"));
    let repo = world.repo("project");
    (world, repo)
}

/// What the program answers in the repository.
fn answer(world: &World, repo: &Repo, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--json"]].concat();
    let output = world.run(world.command(&arguments).current_dir(&repo.path));
    serde_json::from_str(&output.stdout).unwrap()
}

#[test]
fn what_init_writes_is_right_and_nothing_is_overwritten() {
    let (world, repo) = world();
    repo.write(".agency/spells/fix.md", "mine");
    let first = answer(&world, &repo, &["init"]);
    assert_eq!(first["data"]["kept"], serde_json::json!([".agency/spells/fix.md"]), "{first:#}");
    assert_eq!(std::fs::read_to_string(repo.path.join(".agency/spells/fix.md")).unwrap(), "mine");
    let checked = answer(&world, &repo, &["workflow", "validate"]);
    assert_eq!(checked["data"]["workflows"].as_array().map(Vec::len), Some(2), "{checked:#}");
    let again = answer(&world, &repo, &["init"]);
    assert_eq!(again["data"]["written"], serde_json::json!([]));
}

// proves W3
#[test]
fn every_problem_of_every_file_is_told_with_its_place() {
    let (world, repo) = world();
    repo.write(
        ".agency/workflows/a.yaml",
        "name: a\nsteps:\n- {name: x, type: agent, spell: fix, adapter: cluade_code}\n",
    );
    repo.write(
        ".coven/grimoires/b.yml",
        "name: b\nsteps:\n- {name: y, type: scrpt}\n- {name: z, type: script, command: '{{.y.output}} {{.quantity}}'}\n",
    );
    repo.write(".coven/spells/fix.md", "Do\n{{.task.titel}}\n");
    let told = answer(&world, &repo, &["workflow", "validate"]);
    assert_eq!(told["error"]["code"], ErrorCode::InvalidWorkflow.as_str(), "{told:#}");
    let problems: Vec<String> = told["error"]["details"]["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| format!("{} {}:{} {}", problem["file"], problem["line"], problem["column"], problem["nearest"]))
        .collect();
    assert_eq!(
        problems,
        [
            "\".agency/workflows/a.yaml\" 3:47 \"claude_code\"",
            "\".coven/spells/fix.md\" 2:3 \"title\"",
            "\".coven/grimoires/b.yml\" 3:19 \"script\"",
            "\".coven/grimoires/b.yml\" 4:53 null",
        ]
    );
    let people = world.run(world.command(&["workflow", "validate"]).current_dir(&repo.path));
    assert_eq!(people.status.code(), Some(2));
    assert!(people.stderr.contains("3 | - {name: y, type: scrpt}"), "{}", people.stderr);
    let nothing = answer(&world, &repo, &["workflow", "validate", "c"]);
    assert_eq!(nothing["error"]["code"], ErrorCode::InvalidPath.as_str(), "{nothing:#}");
}

// proves W6, W7
#[test]
fn system_prompt_composition() {
    let (world, repo) = world();
    repo.write(".agency/workflows/w.yaml", "name: w\ngoal: Ship\nsteps:\n- {name: make, type: script, command: x}\n- {name: a, type: agent, spell: do, input: {what: '{{.make.outputs.part}}'}}\n- {name: b, type: agent, prompt: 'Only {{.goal}}'}\n");
    repo.write(".agency/spells/do.md", "{{.bead.title}} with {{.what}}\n");
    let render = |step: &str| {
        let arguments = ["workflow", "render", "w", "--step", step, "--title", "Fix login", "--goal", "Win"];
        answer(&world, &repo, &arguments)
    };
    let built_in = render("a");
    let text = built_in["data"]["text"].as_str().unwrap();
    assert!(text.contains("Fix login with <make.outputs.part>") && text.contains("\"success\": true"), "{text}");
    assert_eq!(built_in["data"]["unknown"], serde_json::json!(["<make.outputs.part>"]));
    repo.write(".agency/system-prompt.md", "For {{.goal}}: [{{.spell_content}}]");
    assert_eq!(render("a")["data"]["text"], "For Win: [Fix login with <make.outputs.part>]");
    assert_eq!(render("b")["data"]["text"], "Only Win");
    assert_eq!(render("c")["error"]["code"], ErrorCode::Usage.as_str());
    repo.write(".agency/system-prompt.md", "no place for spells");
    assert_eq!(render("a")["error"]["code"], ErrorCode::InvalidWorkflow.as_str());
}

#[test]
fn a_task_comes_from_a_file_or_from_the_beads() {
    let (world, repo) = world();
    repo.write(
        "w.yaml",
        "name: w\nsteps:\n- {name: a, type: agent, prompt: '{{.task.title}}: {{.task.team | default \"nobody\"}}'}\n",
    );
    repo.write("t.yaml", "title: From a file\nteam: blue\n");
    repo.write(".beads/issues.jsonl", "{\"id\":\"bd-7\",\"title\":\"From a bead\"}\n");
    let render =
        |more: &[&str]| answer(&world, &repo, &[&["workflow", "render", "w.yaml", "--step", "a"], more].concat());
    assert_eq!(render(&["--task-file", "t.yaml"])["data"]["text"], "From a file: blue");
    assert_eq!(render(&["--bead", "bd-7"])["data"]["text"], "From a bead: nobody");
    let missing = render(&["--bead", "bd-8"]);
    assert_eq!(missing["error"]["code"], ErrorCode::InvalidWorkflow.as_str(), "{missing:#}");
    assert_eq!(render(&["--bead", "bd-7", "--title", "x"])["error"]["code"], ErrorCode::Usage.as_str());
}

#[test]
fn the_schema_accepts_what_the_program_accepts() {
    let (world, repo) = world();
    let schema = answer(&world, &repo, &["schema", "workflow"]);
    let data = &schema["data"];
    assert_eq!(data["properties"]["timeout"]["type"], "string");
    for kind in ["agent", "script", "loop", "parallel", "merge", "approval"] {
        assert_eq!(data["$defs"][kind]["properties"]["type"]["const"], kind);
    }
    assert_eq!(data["$defs"]["task"]["required"], serde_json::json!(["id", "adapter"]));
}
