//! `agency mcp install`: registers the server with an agent.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agency_model::ErrorCode;
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tempfile::NamedTempFile;

use super::registration::Registration;
use super::settings::{NAME, Settings, Shape};
use crate::context::Context;
use crate::problem::Problem;

/// Print how an agent learns of the server, or write it into the agent's settings
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency mcp install claude\n  agency mcp install codex --write")]
pub(crate) struct Args {
    /// The agent that is to use the server
    client: Client,
    /// Write it into the agent's settings; all else in them stays as it is, byte for byte
    #[arg(long)]
    write: bool,
}

/// An agent that can use MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Client {
    Claude,
    Codex,
    Gemini,
    Opencode,
    Cursor,
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

impl Client {
    /// Where its settings are.
    fn file(self) -> Result<PathBuf, Problem> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home =
            || variable("HOME").ok_or_else(|| Problem::new(ErrorCode::InvalidPath, "HOME is not set").hint("set HOME"));
        let below = |variable: Option<PathBuf>, usual: &str, name: &str| match variable {
            Some(directory) => Ok(directory.join(name)),
            None => home().map(|home| home.join(usual).join(name)),
        };
        match self {
            Self::Claude => below(variable("CLAUDE_CONFIG_DIR"), "", ".claude.json"),
            Self::Codex => below(variable("CODEX_HOME"), ".codex", "config.toml"),
            Self::Gemini => below(None, ".gemini", "settings.json"),
            Self::Opencode => below(
                variable("XDG_CONFIG_HOME").map(|path| path.join("opencode")),
                ".config/opencode",
                "opencode.json",
            ),
            Self::Cursor => below(None, ".cursor", "mcp.json"),
        }
    }

    /// What it wants to know of the server.
    fn settings(self, server: &Registration) -> Settings {
        let (program, arguments) = server.command();
        let plain = json!({ "command": program, "args": arguments });
        let (shape, entry, variables) = match self {
            Self::Claude => {
                let entry = json!({ "type": "stdio", "command": program, "args": arguments });
                (Shape::Json("mcpServers"), entry, "env")
            }
            Self::Codex => (Shape::Toml("mcp_servers"), plain, "env"),
            Self::Gemini | Self::Cursor => (Shape::Json("mcpServers"), plain, "env"),
            Self::Opencode => {
                let entry = json!({ "type": "local", "command": server.words, "enabled": true });
                (Shape::Json("mcp"), entry, "environment")
            }
        };
        Settings { shape, entry: server.with_env(entry, variables) }
    }

    /// Its own command for it.
    fn command(self, server: &Registration) -> Option<String> {
        let line = server.line();
        match self {
            // Its option for variables takes several values, so the name comes before it.
            Self::Claude => Some(format!("claude mcp add --scope user {NAME}{} -- {line}", server.options("--env"))),
            Self::Codex => Some(format!("codex mcp add {NAME}{} -- {line}", server.options("--env"))),
            // It takes options of ours for its own.
            Self::Gemini if server.words.iter().any(|word| word.starts_with('-')) => None,
            Self::Gemini => Some(format!("gemini mcp add --scope user{} {NAME} {line}", server.options("--env"))),
            Self::Opencode | Self::Cursor => None,
        }
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let server = Registration::of_this_program(context)?;
    let file = args.client.file()?;
    let settings = args.client.settings(&server);
    let written = args.write && write(&file, &settings)?;
    let answer = Installed {
        client: args.client.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned()),
        file: file.display().to_string(),
        entry: settings.snippet(),
        command: args.client.command(&server),
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

/// Adds the entry to a file, unless it has one. Says whether it did.
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
