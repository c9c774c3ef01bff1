//! `agency mcp` with a real client: every tool, what a client is told meanwhile, and what stays when it goes away.

#[path = "mcp/asking.rs"]
mod asking;
#[path = "mcp/bad_input.rs"]
mod bad_input;
#[path = "mcp/client.rs"]
mod client;
#[path = "mcp/going_away.rs"]
mod going_away;
#[path = "mcp/install.rs"]
mod install;
#[path = "ask/place.rs"]
mod place;
#[path = "mcp/runs.rs"]
mod runs;
#[path = "mcp/tools.rs"]
mod tools;
