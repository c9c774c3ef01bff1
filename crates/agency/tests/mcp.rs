//! `agency mcp` with a real client: every tool, its notifications, and what stays when the client disconnects.

#[cfg(test)]
mod mcp {
    mod asking;
    mod bad_input;
    mod client;
    #[path = "../ask/fixture.rs"]
    mod fixture;
    mod going_away;
    mod install;
    mod landing;
    mod reviewing;
    mod runs;
    mod tools;
}
