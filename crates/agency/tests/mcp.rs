//! `agency mcp` with a real client: every tool, what a client is told meanwhile, and what stays when it goes away.

#[cfg(test)]
mod mcp {
    mod asking;
    mod bad_input;
    mod client;
    mod going_away;
    mod install;
    #[path = "../ask/place.rs"]
    mod place;
    mod runs;
    mod tools;
}
