//! Sessions come to an end that says why, and later steps see what earlier ones came to.

use agency_model::ErrorCode;
use agency_testkit::{conversation, wait_for};
use serde_json::Value;

use super::fixture::{LIMIT, Place, states, step};

/// A step that writes a file, so that there is something to merge.
const WORK: &str = "  - { name: work, type: script, command: echo ours >ours.txt }\n";

// The failure was stored, and the driver then waited for an answer to a question that was never asked.
#[test]
fn a_merge_that_fails_before_its_review_blocks_the_session_with_the_reason() {
    let place = Place::new();
    let text = format!(
        "name: m\nsteps:\n{WORK}  - {{ name: bring, type: merge, commit_message: '{{{{.work.outputs.title}}}}' }}\n"
    );
    let session = place.begin(&text, &[]);
    for _ in 0..2 {
        let shown = place.wait_for_state(&session, "blocked");
        let reason = shown["reason"].as_str().unwrap();
        assert!(reason.contains("`bring` failed") && reason.contains("there is no `title`"), "{reason}");
        place.does(&["retry", &session, "--detach"]);
    }
}

#[test]
fn the_checks_of_a_merge_see_the_merged_files_and_keep_the_branch_where_it_is() {
    let place = Place::new();
    let before = place.repo.git(&["rev-parse", "main"]);
    let merge = |check: &str| {
        format!(
            "name: m\nsteps:\n{WORK}  - {{ name: bring, type: merge, require_review: false, check: ['{check}'] }}\n"
        )
    };
    let session = place.begin(&merge("cat ours.txt; exit 3"), &[]);
    let shown = place.wait_for_state(&session, "blocked");
    let bring = step(&shown, "bring");
    assert!(bring["error"].as_str().unwrap().contains("failed with code 3 on the merge into main"), "{bring}");
    assert_eq!(place.repo.git(&["rev-parse", "main"]), before);
    let session = place.begin(&merge("test -e ours.txt"), &[]);
    place.wait_for_state(&session, "completed");
    assert_eq!(place.repo.git(&["show", "main:ours.txt"]).trim(), "ours");
}

#[test]
fn a_merge_of_a_session_from_a_detached_head_blocks_and_merges_into_the_branch_of_a_retry() {
    let place = Place::new();
    place.repo.git(&["switch", "-q", "--detach"]);
    let session = place.begin(&format!("name: m\nsteps:\n{WORK}  - {{ name: bring, type: merge }}\n"), &[]);
    let shown = place.wait_for_state(&session, "blocked");
    let error = step(&shown, "bring")["error"].as_str().unwrap().to_owned();
    assert!(error.contains("no branch was checked out") && error.contains("git switch"), "{error}");
    assert!(error.contains("'into'") && !error.contains("bookmark") && !error.contains("jj"), "{error}");
    place.repo.git(&["switch", "-q", "main"]);
    place.does(&["retry", &session, "--detach"]);
    place.wait_for_state(&session, "pending_merge");
    place.does(&["approve", &session]);
    place.wait_for_state(&session, "completed");
    assert_eq!(place.repo.git(&["show", "main:ours.txt"]).trim(), "ours");
}

// It said that the target had everything already, and the commit was in no branch.
#[test]
fn commits_that_a_step_made_on_a_detached_head_are_merged() {
    let place = Place::new();
    let work =
        "git switch -q --detach; echo ours >ours.txt; git add ours.txt; git commit -qm detached; echo more >more.txt";
    let text = format!(
        "name: m\nsteps:\n  - {{ name: work, type: script, command: '{work}' }}\n  - {{ name: bring, type: merge, require_review: false }}\n"
    );
    let session = place.begin(&text, &[]);
    place.wait_for_state(&session, "completed");
    assert_eq!(place.repo.git(&["show", "main:ours.txt"]).trim(), "ours");
    assert_eq!(place.repo.git(&["show", "main:more.txt"]).trim(), "more");
}

// The result of a parallel step was `skipped` for templates, whatever its steps came to.
#[test]
fn later_steps_see_what_a_parallel_step_and_a_stage_came_to() {
    let place = Place::new();
    let text = r#"
name: parts
steps:
  - name: both-fine
    type: parallel
    steps:
      - { name: a, type: script, command: 'true' }
      - { name: b, type: script, command: echo from b }
  - { name: good, type: script, when: '{{.both_fine.success}}', command: 'echo "good {{.previous.success}} {{trim .b.output}}" >>"$LOG"' }
  - { name: bad, type: script, when: '{{.both_fine.failed}}', command: 'echo bad >>"$LOG"' }
  - name: one-fails
    type: parallel
    on_fail: continue
    steps:
      - { name: c, type: script, command: 'true' }
      - { name: d, type: script, command: exit 3 }
  - { name: fine, type: script, when: '{{.one_fails.success}}', command: 'echo fine >>"$LOG"' }
  - { name: failed, type: script, when: '{{.one_fails.failed}}', command: 'echo "{{.one_fails.status}} {{.previous.failed}} {{.c.success}} {{.d.exit_code}}" >>"$LOG"' }
"#;
    let session = place.begin(text, &[]);
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!(step(&shown, "bad")["state"], "skipped", "{shown:#}");
    assert_eq!(step(&shown, "fine")["state"], "skipped", "{shown:#}");
    assert_eq!(place.lines(), ["failed true true 3", "good true from b"]);
}

// One line of more than 65,535 bytes left an empty output.
#[test]
fn a_long_line_that_a_script_prints_is_whole_for_later_steps() {
    let place = Place::new();
    let long = "head -c 300000 /dev/zero | tr '\\0' x";
    let text = format!(
        "name: long\nsteps:\n  - {{ name: open, type: script, command: \"{long}\" }}\n  \
         - {{ name: closed, type: script, output: printed, command: \"echo before; {long}; echo\" }}\n  \
         - {{ name: count, type: script, command: 'echo {{{{len .open.output}}}} {{{{len .closed.output}}}} {{{{len .printed}}}} >>\"$LOG\"' }}\n",
        long = long.replace('\\', "\\\\")
    );
    let session = place.begin(&text, &[]);
    place.wait_for_state(&session, "completed");
    assert_eq!(place.lines(), ["300000 300001 300001"]);
}

// Only the last 4 MB of an answer were read, so that the beginning of the block was missing.
#[test]
fn an_agent_may_answer_with_a_large_block() {
    let place = Place::new();
    let fence = "```";
    place.world.agent(
        "large",
        format!(
            "printf 'Well.\\n{fence}json\\n{{\"success\": true, \"outputs\": {{\"blob\": \"'\n\
             head -c 5242880 /dev/zero | tr '\\0' x\nprintf '\"}}}}\\n{fence}\\n'"
        )
        .as_str(),
    );
    let spoken = "hear_message\nblob=$(head -c 5242880 /dev/zero | tr '\\0' x)\n\
         say \"{\\\"type\\\":\\\"assistant\\\",\\\"message\\\":{\\\"content\\\":[{\\\"type\\\":\\\"text\\\",\\\"text\\\":\\\"{\\\\\\\"success\\\\\\\": true, \\\\\\\"outputs\\\\\\\": {\\\\\\\"blob\\\\\\\": \\\\\\\"$blob\\\\\\\"}}\\\"}]}}\"\nfinish done";
    place.world.agent("spoken", conversation::speaking(spoken));
    let session = place.begin(
        "name: large\ndefaults: { mode: headless }\nsteps:\n  - { name: printed, type: agent, adapter: large, spell: \"do\\nit\" }\n  \
         - { name: spoken, type: agent, adapter: spoken, spell: \"do\\nit\" }\n  \
         - { name: count, type: script, command: 'echo {{len .printed.outputs.blob}} {{len .spoken.outputs.blob}} >>\"$LOG\"' }\n",
        &[],
    );
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!(place.lines(), ["5242880 5242880"], "{shown:#}");
}

// `{{.bead}}` became the text `map[assignee: ...]`.
#[test]
fn an_input_that_is_one_template_action_keeps_its_value() {
    let place = Place::new().with_agent("worker", "true");
    let session = place.begin(
        r#"
name: typed
defaults: { adapter: worker, mode: headless }
steps:
  - { name: check, type: script, on_fail: continue, command: exit 3 }
  - name: tell
    type: agent
    input: { bead: "{{.bead}}", code: "{{.check.exit_code}}", failed: "{{.check.failed}}", text: "code {{.check.exit_code}}" }
    prompt: "{{.bead.title}}, {{if gt .code 2}}above two{{end}}, {{if .failed}}failed{{end}}, {{.text}}"
"#,
        &["--title", "Fix it"],
    );
    place.wait_for_state(&session, "completed");
    let prompt = place.world.agency_home().join("sessions").join(&session).join("steps/tell.1/prompt.md");
    assert_eq!(std::fs::read_to_string(prompt).unwrap(), "Fix it, above two, failed, code 3");
}

fn question(place: &Place, session: &str) -> Value {
    wait_for("the question", LIMIT, || {
        place.shown(session);
        let inbox = place.world.json(&["inbox"]);
        inbox["data"]["questions"].as_array().unwrap().first().cloned()
    })
}

#[test]
fn an_approval_is_answered_from_the_inbox_with_a_comment() {
    let place = Place::new();
    let session = place.begin(
        "name: x\nsteps:\n  - { name: agree, type: approval, message: 'Deploy?' }\n  \
         - { name: read, type: script, env: { SAID: '{{.agree.summary}}' }, command: 'echo \"$SAID\" >>\"$LOG\"' }\n",
        &[],
    );
    let asked = question(&place, &session);
    place.world.ok(&["answer", asked["id"].as_str().unwrap(), "allow", "--text", "Only to staging"]);
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!(step(&shown, "agree")["summary"], "Only to staging");
    assert_eq!(place.lines(), ["Only to staging"]);
    let answered = place.world.json(&["inbox", "show", asked["id"].as_str().unwrap()]);
    assert_eq!(answered["data"]["answer"]["answer"], "allow");
    assert_eq!(answered["data"]["answer"]["message"], "Only to staging");
}

#[test]
fn a_permission_of_an_agent_has_no_place_for_a_comment() {
    let place = Place::new().with_agent("asker", conversation::asking(1));
    let session = place.begin(
        "name: asks\ndefaults: { adapter: asker, mode: headless }\nsteps:\n  - { name: ask, type: agent, prompt: go }\n",
        &[],
    );
    let asked = question(&place, &session);
    let id = asked["id"].as_str().unwrap();
    let refused = place.world.error(&["answer", id, "allow", "--text", "but carefully"], ErrorCode::InvalidAnswer);
    assert!(refused["hint"].as_str().unwrap().contains("agency send"), "{refused:#}");
    place.world.ok(&["answer", id, "allow"]);
    place.wait_for_state(&session, "completed");
}

#[test]
fn what_took_too_long_names_the_limit_its_value_and_its_place() {
    let place = Place::new();
    let text = "name: slow\ntimeout: 30m\nsteps:\n  - name: command\n    type: script\n    timeout: 100ms\n    on_fail: continue\n    command: sleep 600\n  \
        - name: group\n    type: loop\n    timeout: 200ms\n    on_fail: continue\n    steps: [{ name: inner, type: script, command: sleep 600 }]\n";
    let session = place.begin(text, &[]);
    let shown = place.wait_for_state(&session, "completed");
    let error = |name: &str| step(&shown, name)["error"].as_str().unwrap().to_owned();
    assert!(error("command").contains("it took longer than 0.1s, its `timeout`"), "{}", error("command"));
    assert!(error("command").contains("workflow.yaml, line 6"), "{}", error("command"));
    assert!(error("inner").contains("the loop `group` around it took longer than 0.2s"), "{}", error("inner"));
    assert!(error("inner").contains("workflow.yaml, line 11"), "{}", error("inner"));
    assert!(error("group").contains("it took longer than 0.2s, its `timeout`"), "{}", error("group"));
    let whole =
        place.begin("name: whole\ntimeout: 200ms\nsteps:\n  - { name: long, type: script, command: sleep 600 }\n", &[]);
    let shown = place.wait_for_state(&whole, "failed");
    let reason = shown["reason"].as_str().unwrap();
    assert!(reason.starts_with("the workflow took longer than 0.2s, its `timeout`"), "{reason}");
    assert!(reason.ends_with("workflow.yaml, line 2"), "{reason}");
    assert_eq!(step(&shown, "long")["error"], reason);
}

// They were shown as done until they began again.
#[test]
fn steps_after_the_one_that_is_tried_again_are_pending() {
    let place = Place::new();
    let session = place.begin(
        "name: again\nsteps:\n  - { name: first, type: script, command: 'true' }\n  \
         - { name: second, type: script, command: 'echo second >>\"$LOG\"; until [ -e \"$FLAGS/go\" ]; do sleep 0.01; done' }\n  \
         - name: group\n    type: loop\n    steps: [{ name: inner, type: script, command: 'true', on_success: exit_loop }]\n  \
         - { name: last, type: script, command: 'true' }\n",
        &[],
    );
    let flag = place.world.root().join("go");
    std::fs::write(&flag, "").unwrap();
    place.wait_for_state(&session, "completed");
    std::fs::remove_file(&flag).unwrap();
    place.does(&["retry", &session, "--from", "second", "--detach"]);
    wait_for("it is tried again", LIMIT, || (place.lines().len() == 2).then_some(()));
    let shown = place.shown(&session);
    let found: Vec<String> = states(&shown).into_iter().map(|(name, state)| format!("{name} {state}")).collect();
    assert_eq!(found, ["first done", "second running", "group pending", "inner pending", "last pending"]);
    assert_eq!((&step(&shown, "last")["ended_at"], &step(&shown, "last")["summary"]), (&Value::Null, &Value::Null));
    std::fs::write(&flag, "").unwrap();
    let shown = place.wait_for_state(&session, "completed");
    assert!(states(&shown).iter().all(|(_, state)| state == "done"), "{shown:#}");
}

/// A session whose work conflicts with that of a run, up to its merge.
fn beside_a_run(place: &Place, review: bool) -> String {
    place.world.agent("rival", "echo theirs >ours.txt");
    let rival =
        place.world.begin(&place.repo, "rival", &["--host", "detached", "--mode", "headless", "--name", "rival"]);
    place.world.ended(&rival);
    let text = format!(
        "name: m\nsteps:\n{WORK}  - {{ name: bring, type: merge, require_review: {review}, forecast: true }}\n  \
         - {{ name: after, type: script, command: 'echo \"{{{{range .bring.outputs.conflicts_with}}}}with {{{{.}}}}{{{{end}}}}\" >>\"$LOG\"' }}\n"
    );
    place.begin(&text, &[])
}

#[test]
fn the_forecast_of_a_merge_names_the_runs_that_conflict_then() {
    let place = Place::new();
    let session = beside_a_run(&place, false);
    let shown = place.wait_for_state(&session, "completed");
    let summary = step(&shown, "bring")["summary"].as_str().unwrap().to_owned();
    assert!(summary.starts_with("merged into main as ") && summary.ends_with("; it conflicts with rival"), "{summary}");
    assert_eq!(place.lines(), ["with rival"]);
    assert_eq!(place.repo.git(&["show", "main:ours.txt"]).trim(), "ours");
}

#[test]
fn a_reviewer_sees_the_forecast_and_open_comments_and_approves_as_agency_review_does() {
    let place = Place::new();
    let session = beside_a_run(&place, true);
    place.wait_for_state(&session, "pending_merge");
    let question = wait_for("the review", LIMIT, || {
        place.world.json(&["inbox"])["data"]["questions"].as_array().unwrap().first().cloned()
    });
    let detail = question["detail"].as_str().unwrap();
    assert!(detail.starts_with("After this merge, the work of other runs conflicts:\n  rival: ours.txt"), "{detail}");
    // The approval of the work answers the question.
    let driver = place.driver(&session);
    let approval = place.world.json(&["review", &driver.id, "--approve"])["data"]["approval"].take();
    place.wait_for_state(&session, "completed");
    let tree = place.repo.git(&["rev-parse", "main^2^{tree}"]);
    assert_eq!(approval["tree"], tree.trim(), "{approval:#}");
    assert!(place.world.json(&["inbox"])["data"]["questions"].as_array().unwrap().is_empty());
}

#[test]
fn what_was_approved_in_the_inbox_is_approved_for_agency_review_and_not_asked_about_again() {
    let place = Place::new();
    let text = |word: &str| {
        format!(
            "name: m\nsteps:\n  - {{ name: work, type: script, command: echo {word} >ours.txt }}\n  \
             - {{ name: bring, type: merge }}\n  - {{ name: again, type: merge, into: side }}\n"
        )
    };
    place.repo.git(&["branch", "side"]);
    let session = place.begin(&text("first"), &[]);
    place.wait_for_state(&session, "pending_merge");
    let driver = place.driver(&session);
    place.world.ok(&["review", &driver.id, "--comment", "ours.txt:1:Why?"]);
    place.does(&["approve", &session]);
    // A comment is open, so the second merge is asked about although its files were approved.
    wait_for("the second review", LIMIT, || {
        let questions = place.world.json(&["inbox"])["data"]["questions"].take();
        let detail = questions[0]["detail"].as_str()?.to_owned();
        (questions[0]["title"].as_str()?.contains("side") && detail.starts_with("1 comment waits")).then_some(())
    });
    let review = place.world.json(&["review", &driver.id])["data"].take();
    assert_eq!(review["approval"]["tree"], place.repo.git(&["rev-parse", "main^2^{tree}"]).trim(), "{review:#}");
    place.does(&["approve", &session]);
    place.wait_for_state(&session, "completed");
    // Without a comment, the approval is enough.
    let session = place.begin(&text("second"), &[]);
    place.wait_for_state(&session, "pending_merge");
    place.does(&["approve", &session]);
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!(step(&shown, "again")["state"], "done", "{shown:#}");
}
