//! `agency run`: starts an agent in a workspace of its own.

pub(crate) mod dry_run;
mod prompt;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_engine::project::ProjectError;
use agency_engine::runs::create::{CreateError, Plan, RunRequest, SetupChoice, read_environment_file, read_mcp_config};
use agency_engine::store::RunRow;
use agency_model::run::State;
use agency_model::spec::{InputMode, InputSpec, LimitsDraft, PromptDraft, RunnerDraft, SpecDraft};
use agency_model::{ErrorCode, McpServer, McpServers, WorkspaceKind, shell_quoted};
use clap::ValueHint;
use clap::builder::PossibleValuesParser;
use schemars::JsonSchema;
use serde::Serialize;

use self::prompt::{or_stdin, prompt_of};
use super::attach;
use super::completions::runner_candidates;
use super::wait::result_with;
use super::welcome;
use crate::context::Context;
use crate::output::{Spinner, state_word};
use crate::problem::Problem;
use crate::view::RunView;

/// Start an agent in a workspace of its own
#[derive(Debug, Default, PartialEq, Eq, clap::Args)]
#[command(
    after_help = "Without a prompt on a terminal, a form asks for the agent, the prompt and the base.\n\nExamples:\n  \
    agency run \"Fix the failing test\"\n  \
    agency run -a codex --prompt-file task.md --base main --name fix --wait\n  \
    git diff | agency run -a claude -p - --include-changes\n  \
    agency run --edit\n  \
    agency run --spec run.json --dry-run\n  \
    agency run -a mine \"…\" -- --model large"
)]
pub(crate) struct Args {
    /// What the agent is to do; - reads it from standard input
    #[arg(value_name = "PROMPT", conflicts_with_all = ["prompt", "prompt_file"])]
    task: Option<String>,
    /// Read the run spec from this JSON file; flags override it; - reads standard input
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// The git or jj repository [default: the one of the current directory]
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// The git ref, or with jj the revset, to start from [default: HEAD, or the working copy with jj]
    #[arg(long, value_name = "REF", allow_hyphen_values = true)]
    base: Option<String>,
    /// The branch to create, or with jj the bookmark that keeps the work in the end [default: agency/<run_id>]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    branch: Option<String>,
    /// The agent: claude-code, codex, gemini, opencode, cursor, scripted, or one of your own [default: default_agent]
    #[arg(short = 'a', long, visible_alias = "agent", value_name = "AGENT", add = runner_candidates())]
    runner: Option<String>,
    /// What the agent is to do, as a file of the repository (relative to its root) or any other, which is copied; -
    /// reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "prompt", allow_hyphen_values = true, value_hint = ValueHint::FilePath)]
    prompt_file: Option<String>,
    /// What the agent is to do, as text; - reads it from standard input
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// Write the prompt in $EDITOR, which begins with what is given otherwise
    #[arg(short, long, conflicts_with = "json")]
    edit: bool,
    /// Begin with the uncommitted changes of your checkout, which stays as it is
    #[arg(long, conflicts_with = "base")]
    include_changes: bool,
    /// A file of the repository that the prompt refers to, whose fingerprint is kept; may be repeated
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    input: Vec<String>,
    /// The name of the run [default: the first words of the prompt]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// End the run after N minutes; 0: no limit
    #[arg(long, value_name = "N")]
    max_minutes: Option<u32>,
    /// End the run when the agent makes no progress for N minutes; 0: no limit
    #[arg(long, value_name = "N")]
    no_progress_minutes: Option<u32>,
    /// End the run when a question of the agent waits N minutes for its answer; 0: no limit
    #[arg(long, value_name = "N")]
    question_minutes: Option<u32>,
    /// Ask when the agent's screen is not recognised for N minutes; 0: never [default: the configuration's]
    #[arg(long, value_name = "N")]
    unknown_minutes: Option<u32>,
    /// Run in a session of your tmux server, or without a terminal [default: the configuration's]
    #[arg(long, value_parser = PossibleValuesParser::new(["tmux", "detached"]))]
    host: Option<String>,
    /// Give the agent a terminal of its own, or pipes for its structured output [default: interactive]
    #[arg(long, value_parser = PossibleValuesParser::new(["interactive", "headless"]))]
    mode: Option<String>,
    /// Start a headless agent in its one-shot form, which asks no questions and accepts no messages
    #[arg(long)]
    one_shot: bool,
    /// Give the agent a worktree of its own, or let it work on your files in the repository [default: worktree]
    #[arg(long, value_parser = PossibleValuesParser::new(["worktree", "none"]))]
    workspace: Option<String>,
    /// Version control of the workspace: jj in a jj repository, or always git or jj [default: the configuration's]
    #[arg(long, value_parser = PossibleValuesParser::new(["auto", "git", "jj"]))]
    vcs: Option<String>,
    /// When the agent exits with an error: fail the run, or restart it, until restart.failures crashes in a row [default: never]
    #[arg(long, value_parser = PossibleValuesParser::new(["never", "on-crash"]))]
    restart: Option<String>,
    /// Give the agent this MCP server: filesystem, puppeteer or github; may be repeated
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(["filesystem", "puppeteer", "github"]))]
    mcp_server: Vec<String>,
    /// Give the agent the MCP servers of this JSON file, in the shape of .mcp.json; may be repeated
    #[arg(long, value_name = "FILE")]
    mcp_config: Vec<PathBuf>,
    /// Add the NAME=value lines of this file to the agent's environment
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
    /// Start without what .agency/project.toml gives to worktrees, except for ports
    #[arg(long)]
    no_setup: bool,
    /// Fail when max_agents are live already, instead of waiting for a slot
    #[arg(long)]
    no_queue: bool,
    /// Stay until the run has finished, and exit as it did
    #[arg(long, conflicts_with = "attach")]
    wait: bool,
    /// Show the agent's terminal as soon as it runs
    #[arg(long, conflicts_with = "json")]
    attach: bool,
    /// Send notifications as `notify` in the configuration says, also without a terminal
    #[arg(long)]
    notify: bool,
    /// Check everything, print what would be created, create nothing
    #[arg(long, conflicts_with_all = ["wait", "attach"])]
    dry_run: bool,
    /// Further arguments for the agent
    #[arg(last = true, value_name = "ARGS")]
    runner_args: Vec<String>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Started {
    #[serde(flatten)]
    run: RunView,
    /// What the user should know; what is found out later becomes an event of the run.
    warnings: Vec<String>,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    if args == Args::default() && !context.json() && super::tui::can_open(context) {
        return super::tui::ask_for_run(context);
    }
    let mut agency = context.agency()?;
    welcome::greet(&mut agency, context);
    let (wait, show) = (args.wait, args.attach);
    let dry_run = args.dry_run;
    let has_host = args.host.is_some();
    let plan = approved_plan(&mut agency, request(args, context)?, context)?;
    if !has_host {
        welcome::note_host(&mut agency, plan.spec.host, context);
    }
    if dry_run {
        return dry_run::print(&agency, &plan, context);
    }
    if show {
        attach::check_terminal()?;
        agency.check_attaching()?;
    }
    if plan.spec.workspace == WorkspaceKind::None {
        context.say(&format!("warning: --workspace none: the agent works in {} itself, on your files", plan.spec.repo));
    }
    start(&mut agency, &plan, Afterwards { wait, show }, context)
}

/// Plans a run. On a terminal, what the project proposes for worktrees is shown and approved first.
fn approved_plan(agency: &mut Agency, request: RunRequest, context: &Context) -> Result<Plan, Problem> {
    let may_ask = context.is_at_terminal() && !context.json();
    match agency.plan(request.clone()) {
        Err(CreateError::Project(ProjectError::NotTrusted { repository, .. })) if may_ask => {
            if let Some(project) = agency.project(&repository)? {
                super::trust::approve(&project, false, agency, context)?;
            }
            // What changed meanwhile is refused.
            Ok(agency.plan(request)?)
        }
        planned => Ok(planned?),
    }
}

/// What happens once the agent runs.
#[derive(Clone, Copy)]
pub(super) struct Afterwards {
    /// Stay until the run has finished.
    pub(super) wait: bool,
    /// Show the agent's terminal.
    pub(super) show: bool,
}

/// Makes a planned run real and says so.
pub(super) fn start(
    agency: &mut Agency,
    plan: &Plan,
    Afterwards { wait, show }: Afterwards,
    context: &Context,
) -> Result<ExitCode, Problem> {
    let interrupted = listen_for_interrupts()?;
    let row = {
        let _spinner = Spinner::begin(format!("creating {}", plan.name.as_str()), context.is_watched());
        agency.create(plan, &interrupted).map_err(|error| Problem::from(error).detail("id", &plan.id))?
    };
    let warnings = plan.warnings();
    warnings.iter().for_each(|warning| context.say(&format!("warning: {warning}")));
    if show {
        return attach::show(agency, &row, context);
    }
    if wait {
        return wait_for_end(agency, &row, warnings, context);
    }
    let home = agency.home().clone();
    if context.is_quiet() && !context.json() {
        context.print(|out| writeln!(out, "{}", row.id))?;
        return Ok(ExitCode::SUCCESS);
    }
    let started = Started { run: RunView::new(row.clone(), &home), warnings };
    context.answer(&started, |out| print_run(out, &row))
}

fn request(args: Args, context: &Context) -> Result<RunRequest, Problem> {
    let prompt = prompt_of(&args, context)?;
    let repo = args.repo.map(|path| {
        path.to_str().map(str::to_owned).ok_or_else(|| {
            Problem::new(ErrorCode::InvalidPath, format!("the path of the repository is not UTF-8: {}", path.display()))
        })
    });
    let inputs = args.input.into_iter().map(|path| InputSpec { path, mode: InputMode::Read }).collect();
    let mut mcp_servers = McpServers::new();
    for file in args.mcp_config.iter().cloned().map(or_stdin) {
        mcp_servers.extend(read_mcp_config(&file)?);
    }
    mcp_servers.extend(args.mcp_server.into_iter().map(|name| (name, McpServer::default())));
    let flags = SpecDraft {
        repo: repo.transpose()?,
        base_ref: args.base,
        runner: Some(RunnerDraft { kind: args.runner, args: Some(args.runner_args) }),
        prompt: prompt.file.map(|path| PromptDraft { path: Some(path) }),
        new_branch: args.branch,
        inputs: Some(inputs),
        limits: Some(LimitsDraft {
            max_minutes: args.max_minutes,
            no_progress_minutes: args.no_progress_minutes,
            question_minutes: args.question_minutes,
            unknown_minutes: args.unknown_minutes,
        }),
        name: args.name,
        mode: args.mode.as_deref().and_then(|text| text.parse().ok()),
        host: args.host.as_deref().and_then(|text| text.parse().ok()),
        workspace: args.workspace.as_deref().and_then(|text| text.parse().ok()),
        vcs: args.vcs.as_deref().and_then(|text| text.parse().ok()),
        restart: args.restart.as_deref().and_then(|text| text.parse().ok()),
        one_shot: args.one_shot.then_some(true),
        mcp_servers: Some(mcp_servers),
        ..SpecDraft::default()
    };
    let mut request = context.run_request(flags)?;
    if let Some(file) = args.env_file.map(or_stdin) {
        request.environment.extend(read_environment_file(&file)?);
    }
    Ok(RunRequest {
        spec_file: args.spec.map(or_stdin),
        prompt_text: prompt.text,
        include_changes: args.include_changes && !args.dry_run,
        may_wait: !args.no_queue,
        setup: if args.no_setup { SetupChoice::None } else { SetupChoice::Project },
        notify: args.notify || request.notify,
        ..request
    })
}

/// The first Ctrl-C asks to take everything back; a second one ends us at once.
pub(super) fn listen_for_interrupts() -> Result<Arc<AtomicBool>, Problem> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let twice = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&interrupted));
        let once = signal_hook::flag::register(signal, Arc::clone(&interrupted));
        twice.and(once).map_err(|error| Problem::new(ErrorCode::Io, format!("signals cannot be caught: {error}")))?;
    }
    Ok(interrupted)
}

fn wait_for_end(
    agency: &mut Agency,
    row: &RunRow,
    warnings: Vec<String>,
    context: &Context,
) -> Result<ExitCode, Problem> {
    context.say(&format!("{} is {}; waiting for its end (Ctrl-C leaves it running)", row.label(), row.state));
    // From here on an interrupt ends only the waiting.
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let leave = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::new(AtomicBool::new(true)));
        leave.map_err(|error| Problem::new(ErrorCode::Io, format!("signals cannot be caught: {error}")))?;
    }
    let row = agency.wait(&row.id, None, State::is_terminal)?;
    result_with(row, context, |row| Started { run: RunView::new(row, agency.home()), warnings })
}

fn print_run(out: &mut dyn Write, row: &RunRow) -> std::io::Result<()> {
    writeln!(out, "{}  {}", row.label(), state_word(row.state))?;
    writeln!(out, "  id        {}", row.id)?;
    if let Some(branch) = &row.new_branch {
        writeln!(out, "  branch    {branch}")?;
    }
    writeln!(out, "  directory {}", row.directory())?;
    let name = shell_quoted(row.label());
    writeln!(out, "  view      agency attach {name}   agency logs -f {name}")
}
