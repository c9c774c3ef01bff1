//! `agency`: runs AI coding agents, each in its own workspace, supervised and logged.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod child;
mod cli;
mod command;
mod context;
mod diagnostics;
mod highlight;
mod interrupts;
mod mcp;
mod new_race;
mod object_schema;
mod output;
mod problem;
mod run_names;
mod selector;
mod terminal;
mod tui;
mod typed_text;
mod view;

use std::process::ExitCode;

fn main() -> ExitCode {
    // The library starts this program most often, and needs no command line parser.
    if let Some(code) = child::run() {
        return code;
    }
    clap_complete::CompleteEnv::with_factory(cli::command).complete();
    cli::run(std::env::args_os())
}
