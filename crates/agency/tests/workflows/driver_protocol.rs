//! What a driver and its supervisor write to each other: the version that the supervisor names, or what was written before
//! there were versions.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};

use agency_testkit::wait_for;
use serde_json::{Value, json};

use super::fixture::{LIMIT, Place};

const WORKFLOW: &str = "name: x\nsteps:\n  - { name: ok, type: approval, message: 'Is it right?' }\n";

/// A driver whose supervisor is the test.
struct Driver {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Value>,
}

impl Driver {
    /// Starts the driver of a session that waits for an approval and has lost its supervisor.
    fn start(place: &Place, session: &str, options: &[&str]) -> Self {
        place.wait_for_state(session, "waiting");
        place.world.kill_everything();
        let mut command = place.world.command(&[&["drive"], options, &[session]].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                sender.send(serde_json::from_str(&line.unwrap()).unwrap()).unwrap();
            }
        });
        Self { child, input, lines }
    }

    /// The next line.
    #[track_caller]
    fn next(&self) -> Value {
        self.lines.recv_timeout(LIMIT).unwrap()
    }

    /// The last line; the driver has ended after it.
    #[track_caller]
    fn last(mut self) -> Value {
        let status = wait_for("the end of the driver", LIMIT, || self.child.try_wait().unwrap());
        assert!(status.success(), "{status}");
        self.lines.iter().last().unwrap()
    }

    fn write(&mut self, line: &Value) {
        writeln!(self.input, "{line}").unwrap();
    }
}

/// What the session noted about the answer.
fn message(place: &Place, session: &str) -> Value {
    place.facts(session).into_iter().find(|fact| fact["fact"] == "step_answered").unwrap()["message"].clone()
}

#[test]
fn without_a_version_a_driver_writes_and_reads_what_supervisors_before_the_protocol_do() {
    let place = Place::new();
    let session = place.begin(WORKFLOW, &[]);
    let mut driver = Driver::start(&place, &session, &[]);
    assert_eq!(driver.next(), json!({ "type": "system", "subtype": "init", "session_id": session }));
    let request = json!({
        "subtype": "can_use_tool", "tool_name": "Approval", "input": { "plan": "Is it right?" },
        "description": "ok: Is it right?",
    });
    assert_eq!(driver.next(), json!({ "type": "control_request", "request_id": "ok#1", "request": request }));
    let allowed = json!({ "behavior": "allow", "updatedInput": {}, "message": "well" });
    let response = json!({ "subtype": "success", "request_id": "ok#1", "response": allowed });
    driver.write(&json!({ "type": "control_response", "response": response }));
    let text = json!([{ "type": "text", "text": "ok: approved: well" }]);
    assert_eq!(driver.next(), json!({ "type": "assistant", "message": { "role": "assistant", "content": text } }));
    let completed = json!({
        "type": "result", "subtype": "success", "is_error": false, "result": "the workflow is completed",
    });
    assert_eq!(driver.last(), completed);
    place.wait_for_state(&session, "completed");
    assert_eq!(message(&place, &session), "well");
}

#[test]
fn a_driver_writes_the_version_that_its_supervisor_names() {
    let place = Place::new();
    let session = place.begin(WORKFLOW, &[]);
    let mut driver = Driver::start(&place, &session, &["--protocol", "1"]);
    assert_eq!(driver.next(), json!({ "type": "started", "version": 1, "session": session }));
    let question = json!({
        "type": "question", "key": "ok#1", "subject": "approval", "title": "ok: Is it right?", "detail": "Is it right?",
    });
    assert_eq!(driver.next(), question);
    let answer = json!({ "answer": "allow", "message": "well" });
    driver.write(&json!({ "type": "answer", "key": "ok#1", "answer": answer }));
    assert_eq!(driver.next(), json!({ "type": "progress", "text": "ok: approved: well" }));
    assert_eq!(driver.last(), json!({ "type": "completed", "summary": "the workflow is completed" }));
    place.wait_for_state(&session, "completed");
    assert_eq!(message(&place, &session), "well");
}

#[test]
fn a_version_that_is_not_known_is_refused_and_the_session_stays_as_it_is() {
    let place = Place::new();
    let session = place.begin(WORKFLOW, &[]);
    place.wait_for_state(&session, "waiting");
    place.world.kill_everything();
    let facts = place.facts(&session);
    let refused = place.world.run(&mut place.world.command(&["--json", "drive", "--protocol", "1000", &session]));
    assert_eq!(refused.object()["error"]["code"], "E_USAGE");
    assert_eq!(place.facts(&session), facts);
}
