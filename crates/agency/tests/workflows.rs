//! Workflow sessions: driven by a run, interrupted anywhere, gone on with, and ended by people.

#[path = "workflows/crash.rs"]
mod crash;
#[path = "workflows/long_way.rs"]
mod long_way;
#[path = "workflows/place.rs"]
mod place;
#[path = "workflows/scenarios.rs"]
mod scenarios;
