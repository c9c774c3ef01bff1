//! What a user sees of every command: its success and its most likely errors, as transcripts.

#[cfg(test)]
mod transcripts {
    mod agents;
    mod asking;
    mod checkpoints;
    mod configuration;
    mod console;
    mod conversation;
    mod coverage;
    mod ending;
    mod init;
    mod landing;
    mod mcp;
    mod policy;
    mod program;
    mod reading;
    mod reviewing;
    mod schema;
    mod screens;
    mod sessions;
    mod sources;
    mod starting;
    mod upkeep;
    mod workflows;
    mod worktrees;

    use console::{Console, sees};
}
