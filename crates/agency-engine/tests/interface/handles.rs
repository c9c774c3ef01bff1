//! Handles can be cloned and sent, and what a program gets can be made in its tests.

use agency_engine::agency::Agency;
use agency_engine::agents::{AgentEvent, AgentEventKind, AgentEvents, AgentManager, NamedAgent};
use agency_engine::ask::{Answer, ChatRequest, SubagentRunner};
use agency_engine::orchestrator::{Orchestrator, SessionEvents};
use agency_engine::runner::{Listener, RunnerOutput, ScriptedHandle, Stream};
use agency_engine::runs::inbox::{InboxNews, InboxWatch};
use agency_engine::runs::watcher::CompletionResult;
use agency_engine::store::{QuestionRow, QuestionState, RunRow};
use agency_engine::watch::StopHandle;
use agency_model::run::State;
use agency_model::{Event, QuestionId, RunId};

fn is_handle<T: Clone + Send + std::fmt::Debug + 'static>() {}

fn can_be_moved<T: Send + std::fmt::Debug + 'static>() {}

#[test]
fn handles_can_be_cloned_and_sent() {
    is_handle::<Agency>();
    is_handle::<AgentManager>();
    is_handle::<AgentEvents>();
    is_handle::<Orchestrator>();
    is_handle::<SubagentRunner>();
    is_handle::<StopHandle>();
    is_handle::<ScriptedHandle>();
    can_be_moved::<SessionEvents>();
    can_be_moved::<InboxWatch>();
    can_be_moved::<Listener>();
}

#[test]
fn what_a_program_gets_can_be_made_in_its_tests() {
    let run: RunId = "r_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
    let happened = AgentEventKind::Event { seq: 1, event: Box::new(Event::output("hello")) };
    assert_eq!(AgentEvent::new("alice", run.clone(), happened).agent, "alice");
    let question = serde_json::json!({
        "key": "1", "kind": "permission", "title": "Bash", "detail": "cargo test", "options": [],
        "several": false, "free_text": false,
    });
    let id: QuestionId = "q_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
    let row = QuestionRow::open(id, run.clone(), serde_json::from_value(question).unwrap());
    assert!(matches!(InboxNews::Asked(row), InboxNews::Asked(row) if row.state == QuestionState::Open));
    assert_eq!(RunnerOutput::new(Stream::Stdout, "raw", "clean").raw, b"raw");
    assert_eq!(CompletionResult::new(State::Failed).state, State::Failed);
    let spec = serde_json::json!({
        "repo": "/srv/shop", "base_ref": "main", "runner": { "kind": "codex", "args": [] },
        "mode": "headless", "host": "detached", "workspace": "worktree", "restart": "never",
    });
    let row =
        RunRow::queued(run.clone(), "2026-01-02T03:04:05Z".parse().unwrap(), &serde_json::from_value(spec).unwrap());
    assert_eq!(NamedAgent::of(row).run.state, State::Queued);
    assert_eq!(Answer::new(run, "42").answer, "42");
    let chat = ChatRequest::new().source("docs").group("all").agent("codex").environment([].into());
    assert_eq!((chat.sources.len(), chat.groups.len(), chat.runner.as_deref()), (1, 1, Some("codex")));
}
