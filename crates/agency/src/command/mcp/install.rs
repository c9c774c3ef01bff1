//! `agency mcp install`: registers the server with an agent.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use agency_adapters::{AddCommand, AgentAdapter, McpClient};
use agency_model::ErrorCode;
use clap::builder::PossibleValuesParser;
use schemars::JsonSchema;
use serde::Serialize;
use tempfile::NamedTempFile;

use super::registration::Registration;
use super::settings::{NAME, Settings};
use crate::context::Context;
use crate::problem::Problem;

/// Print how an agent learns of the server, or write it into the agent's settings
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency mcp install claude\n  agency mcp install codex --write")]
pub(crate) struct Args {
    /// The agent that is to use the server
    #[arg(value_parser = PossibleValuesParser::new(clients().map(|client| client.name)))]
    client: String,
    /// Write it into the agent's settings; all else in them stays as it is, byte for byte
    #[arg(long)]
    write: bool,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Installed {
    client: String,
    /// The agent's settings.
    file: String,
    /// What belongs into them.
    entry: String,
    /// A command that does the same, where the agent has one.
    command: Option<String>,
    /// Whether the settings were changed.
    written: bool,
}

/// The agents that can use the server.
fn clients() -> impl Iterator<Item = McpClient> {
    agency_adapters::built_in().filter_map(AgentAdapter::mcp_client)
}

/// What the agent's settings need.
fn settings(client: &McpClient, server: &Registration) -> Settings {
    let entry = server.with_env((client.entry)(&server.words), client.env_field);
    Settings { notation: client.notation, entry }
}

/// The agent's own command that adds the server.
fn command(client: &McpClient, server: &Registration) -> Option<String> {
    let AddCommand { template, takes_options } = client.command?;
    if !takes_options && server.words.iter().any(|word| word.starts_with('-')) {
        return None;
    }
    let command = template.replace("{name}", NAME).replace("{env}", &server.options("--env"));
    Some(command.replace("{line}", &server.line()))
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let server = Registration::of_this_program(context)?;
    let client = clients().find(|client| client.name == args.client);
    let client = client.ok_or_else(|| Problem::new(ErrorCode::InvalidConfig, "this agent is not known"))?;
    let file = (client.settings_file)(&std::env::vars_os().collect())
        .ok_or_else(|| Problem::new(ErrorCode::InvalidPath, "HOME is not set").hint("set HOME"))?;
    let settings = settings(&client, &server);
    let written = args.write && write(&file, &settings)?;
    let answer = Installed {
        client: args.client.clone(),
        file: file.display().to_string(),
        entry: settings.snippet(),
        command: command(&client, &server),
        written,
    };
    context.answer(&answer, |out| match (args.write, written) {
        (true, true) => writeln!(out, "{} has the server '{NAME}' now", answer.file),
        (true, false) => writeln!(out, "{} has the server '{NAME}' already", answer.file),
        (false, _) => print(out, &answer),
    })
}

fn print(out: &mut dyn Write, answer: &Installed) -> std::io::Result<()> {
    if let Some(command) = &answer.command {
        writeln!(out, "{command}\n\nor, ")?;
    }
    writeln!(out, "in {}:\n\n{}\n", answer.file, answer.entry)?;
    writeln!(out, "agency mcp install {} --write adds it.", answer.client)
}

/// Adds the entry to a file, unless it has one. returns whether it did.
fn write(file: &Path, settings: &Settings) -> Result<bool, Problem> {
    // A link to a file elsewhere stays a link.
    let file = &std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let broken = |error: std::io::Error| {
        let code = if error.kind() == std::io::ErrorKind::PermissionDenied {
            ErrorCode::PermissionDenied
        } else {
            ErrorCode::Io
        };
        Problem::new(code, format!("{}: {error}", file.display())).detail("file", file)
    };
    let before = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(broken(error)),
    };
    let added = settings.added_to(&before).map_err(|why| {
        Problem::new(ErrorCode::InvalidConfig, format!("{}: {why}", file.display()))
            .hint("nothing was written; agency mcp install prints what to add")
            .detail("file", file)
    })?;
    let Some(after) = added else { return Ok(false) };
    let directory = file.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(directory).map_err(broken)?;
    let mut draft = NamedTempFile::new_in(directory).map_err(broken)?;
    draft.write_all(after.as_bytes()).and_then(|()| draft.as_file().sync_all()).map_err(broken)?;
    if let Ok(metadata) = std::fs::metadata(file) {
        draft.as_file().set_permissions(metadata.permissions()).map_err(broken)?;
    }
    // An agent that runs may have written meanwhile; its words are not lost.
    if std::fs::read_to_string(file).unwrap_or_default() != before {
        return Err(Problem::new(ErrorCode::Io, format!("{} was changed meanwhile", file.display()))
            .hint("nothing was written; try again"));
    }
    draft.persist(file).map_err(|error| broken(error.error))?;
    Ok(true)
}
