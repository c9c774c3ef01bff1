//! Asks a question about two sources.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use agency_engine::ask::{AskError, AskRequest, SubagentRunner};
use agency_engine::config::{AgentConfig, Config};
use agency_engine::sources::{Source, Sources};
use agency_examples::{Outcome, Place};

fn main() -> Outcome {
    // First of all: the library starts this program again to supervise the agent that answers.
    agency_engine::init();
    let place = Place::new()?;
    std::fs::create_dir(place.path("docs"))?;
    std::fs::write(place.path("docs/limits.md"), "The timeout is 42 seconds.\n")?;

    // Claude Code, Codex, Gemini and opencode are built in. This agent needs no model: it searches.
    let mut searcher = AgentConfig::new("grep");
    searcher.ask = Some("grep -rhi timeout docs/ game/README.md".parse()?);
    let mut config = Config::default();
    config.agents.insert("searcher".to_owned(), searcher);
    let agency = place.agency_with(config)?;

    let sources = Sources::beside(&place.path("config.toml"), &agency.home().sources());
    sources.add(&Source::directory("docs", place.path("docs")).description("How it works"))?;
    sources.add(&Source::directory("game", place.repository()))?;
    sources.add_group("all", &["docs".to_owned(), "game".to_owned()])?;

    // The agent sees exactly these sources, and what it leaves behind is deleted.
    let mut runner = SubagentRunner::new(agency, sources);
    let request = AskRequest::new("What is the timeout?").group("all").agent("searcher").limit(Duration::from_secs(60));
    let mut events = 0;
    let answer = runner.ask(&request, &mut |_event| events += 1, &AtomicBool::new(false))?;
    println!("{} answered after {events} events: {}", answer.run, answer.answer.trim());
    assert_eq!(answer.answer, "The timeout is 42 seconds.\n");
    assert_eq!(answer.sources, ["docs", "game"]);

    let unknown = AskRequest::new("What is the timeout?").source("doks").agent("searcher");
    let refused = runner.ask(&unknown, &mut |_event| {}, &AtomicBool::new(false));
    assert!(matches!(refused, Err(AskError::Source(_))), "{refused:?}");
    Ok(())
}
