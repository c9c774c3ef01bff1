//! A workflow that is wide: three stages of four tasks, one of which asks.

use agency_testkit::{conversation, wait_for};

use super::fixture::{LIMIT, Place, states, step};

// proves W2 I4 W10 W12
#[test]
fn three_stages_of_four_tasks_with_a_question_a_loop_and_a_reviewed_merge() {
    let worker = "echo \"$STEP\" >>\"$LOG\"\n: >\"by-$STEP\"\nif [ -n \"$FIX\" ]; then : >fixed; fi";
    let place = Place::new().with_agent("worker", worker).with_agent("asker", conversation::asking(1));
    let mut text = "name: wide\ndefaults: { adapter: worker, mode: headless }\nsteps:\n".to_owned();
    for stage in 1..=3 {
        text.push_str(&format!("  - name: stage-{stage}\n    type: parallel\n    steps:\n"));
        for task in 1..=4 {
            let name = format!("s{stage}t{task}");
            let adapter = if (stage, task) == (2, 3) { ", adapter: asker" } else { "" };
            text.push_str(&format!(
                "      - {{ name: {name}, type: agent, prompt: go, env: {{ STEP: {name} }}{adapter} }}\n"
            ));
        }
    }
    text.push_str(
        "  - name: until-green\n    type: loop\n    steps:\n      \
         - { name: tests, type: script, command: 'echo tests >>\"$LOG\"; test -e fixed', on_fail: continue, on_success: exit_loop }\n      \
         - { name: fix, type: agent, prompt: go, env: { STEP: fix, FIX: yes } }\n  \
         - { name: bring, type: merge }\n",
    );
    let session = place.begin(&text, &["--title", "Wide work"]);
    let asking = place.wait_for_step(&session, "s2t3", "waiting");
    wait_for("the others of its stage are done", LIMIT, || {
        let shown = place.shown(&session);
        ["s2t1", "s2t2", "s2t4"].iter().all(|name| step(&shown, name)["state"] == "done").then_some(())
    });
    assert_eq!(step(&place.shown(&session), "s3t1")["state"], "pending", "a stage waits for all of the one before");
    let inbox = place.world.json(&["inbox"]);
    let question = &inbox["data"]["questions"][0];
    assert_eq!(question["run_id"], asking["run_id"]);
    place.world.ok(&["answer", question["id"].as_str().unwrap(), "allow"]);
    place.wait_for_state(&session, "pending_merge");
    place.does(&["approve", &session]);
    let shown = place.wait_for_state(&session, "completed");
    assert!(states(&shown).iter().all(|(_, state)| state == "done"), "{shown:#}");
    assert_eq!(step(&shown, "tests")["attempts"], 2);
    assert_eq!(place.lines().len(), 11 + 2 + 1, "eleven tasks, two rounds of tests and one fix leave a line");
    assert_eq!(place.repo.git(&["log", "-1", "--format=%s", "main"]).trim(), "Wide work");
}
