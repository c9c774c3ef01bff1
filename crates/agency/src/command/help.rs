//! `agency help`: the help of a command, or a page of the documentation.

use std::process::ExitCode;

use agency_model::{ErrorCode, nearest};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::output::Pager;
use crate::problem::Problem;

/// Show the help of a command, or a page of the documentation
#[derive(Debug, clap::Args)]
#[command(after_help = "A command wins over a page with the same name; with .md it is the page.\n\nExamples:\n  \
    agency help run\n  agency help topics\n  agency help configuration\n  agency help ask.md")]
pub(crate) struct Args {
    /// A command such as run or workflow run, a page, or topics for the list of pages
    #[arg(value_name = "COMMAND OR TOPIC", add = super::completions::topic_candidates())]
    words: Vec<String>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Help {
    /// The page or the command; null for the list of pages.
    topic: Option<String>,
    text: String,
}

type Page = (&'static str, &'static str, &'static str);

/// The pages: name, what it is about, text.
pub(super) const PAGES: &[Page] = &[
    (
        "agents",
        "how each agent is started, what it can do, and how to add one",
        include_str!("../../../../docs/agents.md"),
    ),
    ("ask", "sources, questions about them, and chats", include_str!("../../../../docs/ask.md")),
    (
        "checkpoints",
        "the files of a worktree after each turn, and how to get them back",
        include_str!("../../../../docs/checkpoints.md"),
    ),
    (
        "coming-from",
        "concepts and commands of other programs, and their names here",
        include_str!("../../../../docs/coming-from.md"),
    ),
    ("commands", "every command with its options, answers and examples", include_str!("../../../../docs/commands.md")),
    ("comparison", "what other programs do and do not", include_str!("../../../../docs/comparison.md")),
    ("configuration", "every key of the configuration", include_str!("../../../../docs/configuration.md")),
    (
        "crashes",
        "what each process leaves when it dies, and what completes it",
        include_str!("../../../../docs/crashes.md"),
    ),
    ("disk-space", "what takes disk space, and what is cleaned up", include_str!("../../../../docs/disk-space.md")),
    ("errors", "error codes and exit codes", include_str!("../../../../docs/errors.md")),
    ("files", "the files of the home and of a run", include_str!("../../../../docs/files.md")),
    ("forecast", "which runs would conflict, before they land", include_str!("../../../../docs/forecast.md")),
    ("glossary", "the terms", include_str!("../../../../docs/glossary.md")),
    ("land", "from finished work to a commit on your branch", include_str!("../../../../docs/land.md")),
    ("library", "agency in a Rust program", include_str!("../../../../docs/library.md")),
    ("mcp", "the MCP server", include_str!("../../../../docs/mcp.md")),
    ("policy", "rules that answer permissions", include_str!("../../../../docs/policy.md")),
    ("quick-start", "the first run of each agent", include_str!("../../../../docs/quick-start.md")),
    ("race", "several agents with one prompt", include_str!("../../../../docs/race.md")),
    (
        "requirements",
        "what agency has to do, and the tests that prove it",
        include_str!("../../../../docs/requirements.md"),
    ),
    ("review", "comments on lines and files of what a run changed", include_str!("../../../../docs/review.md")),
    ("run-spec", "every field of a run spec", include_str!("../../../../docs/run-spec.md")),
    ("safety", "questions, trust, secrets, signals", include_str!("../../../../docs/safety.md")),
    ("states", "states, phases, activities and events", include_str!("../../../../docs/states.md")),
    ("troubleshooting", "symptoms, commands and fixes", include_str!("../../../../docs/troubleshooting.md")),
    ("tui", "the TUI and its keys", include_str!("../../../../docs/tui.md")),
    ("workflows", "steps, spells and templates", include_str!("../../../../docs/workflows.md")),
    ("worktrees", "what worktrees get beside the files of their commit", include_str!("../../../../docs/worktrees.md")),
];

pub(crate) fn run(args: &Args, root: clap::Command, context: &Context) -> Result<ExitCode, Problem> {
    let help = found(&args.words, root)?;
    let _pager = if context.json() { None } else { Pager::start() };
    context.answer(&help, |out| write!(out, "{}", help.text))
}

fn found(words: &[String], mut command: clap::Command) -> Result<Help, Problem> {
    let topic = words.join(" ");
    let is_command = !words.is_empty() && below(&mut command, words).is_some();
    let page = |name: &str| PAGES.iter().find(|(known, _, _)| *known == name);
    match (words, page(topic.strip_suffix(".md").unwrap_or(&topic)), is_command) {
        ([], _, _) => Ok(Help { topic: None, text: command.render_help().to_string() }),
        ([word], None, _) if word == "topics" => Ok(Help { topic: None, text: list() }),
        (_, Some((name, _, text)), is_command) if !is_command || topic.ends_with(".md") => {
            Ok(Help { topic: Some((*name).to_owned()), text: (*text).to_owned() })
        }
        (_, also, true) => {
            let mut text =
                below(&mut command, words).map(|command| command.render_long_help().to_string()).unwrap_or_default();
            if let Some((name, about, _)) = also {
                text += &format!("\nagency help {name}.md: {about}\n");
            }
            Ok(Help { topic: Some(topic), text })
        }
        (_, _, false) => Err(unknown(&topic, &command)),
    }
}

fn below<'a>(command: &'a mut clap::Command, words: &[String]) -> Option<&'a mut clap::Command> {
    words.iter().try_fold(command, |command, word| command.find_subcommand_mut(word))
}

fn list() -> String {
    let line = |(name, about, _): &Page| format!("  {name:<16} {about}\n");
    format!(
        "Pages of the documentation, each shown by agency help <topic>:\n{}",
        PAGES.iter().map(line).collect::<String>()
    )
}

fn unknown(topic: &str, command: &clap::Command) -> Problem {
    let commands = command.get_subcommands().map(clap::Command::get_name);
    let meant = nearest(topic, PAGES.iter().map(|(name, _, _)| *name).chain(commands)).map(str::to_owned);
    let problem = Problem::new(ErrorCode::Usage, format!("there is no command and no page '{topic}'"));
    match meant {
        Some(meant) => problem.hint(format!("did you mean {meant}? agency help topics lists the pages")),
        None => problem.hint("agency help topics lists the pages, agency --help the commands"),
    }
}
