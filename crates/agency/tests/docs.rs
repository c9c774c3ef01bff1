//! The documentation, compared with the program it describes.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the functions that several of these tests share tell a failure by a panic too"
)]

mod docs {
    mod agents;
    mod architecture;
    mod commands;
    mod configuration;
    mod dependencies;
    mod errors;
    mod files;
    mod glossary;
    mod help;
    mod links;
    mod markdown;
    mod mcp;
    mod parsing;
    mod policy;
    mod program;
    mod readme;
    mod requirements;
    mod run_spec;
    mod states;
    mod workflows;
}
