//! Issue 17, requirement P3: an adapter of a program's own is registered by its type name.

use std::sync::atomic::AtomicBool;

use agency_adapters::{Adjusted, AgentAdapter, LaunchRequest};
use agency_engine::runs::create::CreateError;
use agency_model::ErrorCode;
use agency_model::run::State;

use super::place::Place;

/// An agent that says who it is before its task.
pub(super) struct Mine;

impl AgentAdapter for Mine {
    fn name(&self) -> &'static str {
        "mine"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["my_agent"]
    }

    fn defaults(&self) -> &'static str {
        r#"
            [agents.mine]
            command = "sh"
            prompt = "argument"
            [agents.mine.headless]
            args = ["-c", 'echo "$GREETING: $1"', "sh"]
        "#
    }

    fn adjust_launch(&self, _request: &LaunchRequest<'_>, _user_args: &[&String], launch: &mut Adjusted) {
        launch.env.insert("GREETING".to_owned(), "mine".to_owned());
    }
}

// proves P3
pub(super) fn an_adapter_of_the_program_is_used_by_its_name() {
    let place = Place::new();
    let mut agency = place.builder().adapter("mine", &Mine).build().unwrap();
    for name in ["mine", "my-agent"] {
        let plan = agency.plan(place.request(name).prompt("the task")).unwrap();
        let run = agency.create(&plan, &AtomicBool::new(false)).unwrap();
        let ended = agency.wait(&run.id, None, State::is_terminal).unwrap();
        assert_eq!(ended.state, State::Completed, "{ended:?}");
        assert_eq!(std::fs::read_to_string(&ended.stdout_log_path).unwrap(), "mine: the task\n");
        assert_eq!(ended.runner_kind, "mine");
    }
}

/// The supervisor is a program without the adapter.
pub(super) fn an_adapter_that_a_child_does_not_know_is_named() {
    let place = Place::new();
    let program = place.program("without-adapters");
    let mut agency = place.builder().adapter("mine", &Mine).program(&program).build().unwrap();
    let plan = agency.plan(place.request("mine")).unwrap();
    let error = agency.create(&plan, &AtomicBool::new(false)).unwrap_err();
    let CreateError::Start { code, message } = error else { panic!("{error}") };
    assert_eq!(code, ErrorCode::RunnerNotConfigured);
    assert!(message.contains("the adapter 'mine' is not known to the supervisor"), "{message}");
    let row = agency.run(&plan.id).unwrap();
    assert_eq!(row.state, State::Failed);
}

struct Named(&'static str, &'static str);

impl AgentAdapter for Named {
    fn name(&self) -> &'static str {
        self.0
    }

    fn defaults(&self) -> &'static str {
        self.1
    }
}

pub(super) fn an_adapter_is_refused_with_the_reason() {
    let refused = |name: &str, adapter: &'static dyn AgentAdapter| {
        let place = Place::new();
        place.builder().adapter(name, adapter).build().unwrap_err().to_string()
    };
    let cases: [(&str, &'static dyn AgentAdapter, &str); 5] = [
        ("a b", &Named("a b", ""), "cannot be the name of an adapter"),
        ("other", &Named("other", ""), "the entry is missing"),
        ("other", &Named("other", "[agents.other]\nprompt = \"stdin\""), "the command is missing"),
        ("other", &Named("mine", "[agents.other]\ncommand = \"x\""), "AgentAdapter::name says 'mine'"),
        ("codex", &Named("codex", "[agents.codex]\ncommand = \"x\""), "another adapter has the name 'codex'"),
    ];
    for (name, adapter, reason) in cases {
        let message = refused(name, adapter);
        assert!(message.contains(reason), "{message}");
    }
}
