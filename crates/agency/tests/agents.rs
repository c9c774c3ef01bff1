//! Named agents: spawned, talked to, crashing and coming back, shut down.

#[path = "agents/naming.rs"]
mod naming;
#[path = "agents/place.rs"]
mod place;
#[path = "agents/restarting.rs"]
mod restarting;
#[path = "agents/shutting_down.rs"]
mod shutting_down;
#[path = "agents/slots.rs"]
mod slots;
#[path = "agents/talking.rs"]
mod talking;
#[path = "agents/watching.rs"]
mod watching;
