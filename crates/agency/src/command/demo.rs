//! `agency demo`: three agents at once on a sample repository, one of which asks. Two of them conflict, and one lands. It
//! needs no model and no network.
//!
//! The one rule: it leaves nothing behind unless `--keep` is given. Its home, its repository and its worktrees are in one
//! directory.

mod answers;
mod landing;
mod progress;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_engine::config::{Config, Form, PromptDelivery};
use agency_engine::forecast::Forecast;
use agency_engine::home::Home;
use agency_engine::land::Landed;
use agency_engine::own_executable;
use agency_engine::runs::create::{RunRequest, SetupChoice};
use agency_engine::runs::remove::RemoveError;
use agency_engine::scripted::PROTOCOL_OPTION;
use agency_engine::scripted::sample::{self, SampleTask};
use agency_engine::store::RunRow;
use agency_model::spec::{RunnerDraft, SpecDraft};
use agency_model::{ErrorCode, Host, Mode, RunKind, shell_quoted};
use agency_system::process::own_terminal_size;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use self::progress::watch;
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::output::styled;
use crate::problem::Problem;
use crate::view::{RunView, run_table};

/// Watch three scripted agents work at once on a sample repository, and answer one of them; needs no model and no network
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency demo\n  agency demo --keep")]
pub(crate) struct Args {
    /// Keep the sample repository, the runs and their home, and print how to look at them
    #[arg(long)]
    keep: bool,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shown {
    /// The sample repository.
    repo: String,
    /// The home of the runs.
    home: String,
    /// Whether both are still there.
    kept: bool,
    runs: Vec<RunView>,
    /// Which works conflicted before one landed.
    forecast: Forecast,
    /// The work that landed.
    landed: Option<Landed>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    // Agents of the user are named at the end; a wrong configuration is reported before anything is done.
    context.config()?;
    let io = |error: std::io::Error| Problem::new(ErrorCode::Io, format!("no temporary directory: {error}"));
    let directory = tempfile::Builder::new().prefix("agency-demo-").tempdir().map_err(io)?;
    let place = directory.path().canonicalize().map_err(io)?;
    let sample = sample::create(&place.join("adventure"))
        .map_err(|error| Problem::new(ErrorCode::Io, format!("the sample: {error}")))?;
    let interrupts = Interrupts::listen()?;
    let mut agency = open(&place)?;
    let plans =
        sample.tasks.iter().map(|task| agency.plan(request(&sample.path, task))).collect::<Result<Vec<_>, _>>()?;
    context.say(&format!("A sample repository is in {}", sample.path.display()));
    context.say("Three scripted agents start, each in a worktree of its own.\nOne of them will ask you something.\n");
    let mut started = vec![];
    let watched = interrupts
        .while_creating(|interrupted| start_and_watch(&mut agency, &plans, &mut started, context, interrupted));
    let ended = match watched {
        Ok(ended) => ended,
        Err(problem) => {
            // No agent may work in a directory that goes away.
            started.iter().for_each(|row| drop(agency.stop(row)));
            return Err(problem);
        }
    };
    let outcome = landing::land_one(&mut agency, &sample.path, ended.first(), interrupts.asked())?;
    let ended = ended.iter().map(|row| agency.run(&row.id)).collect::<Result<Vec<_>, _>>()?;
    let views: Vec<RunView> = ended.iter().map(|row| RunView::new(row.clone(), agency.home())).collect();
    let diff = match ended.first() {
        Some(row) => agency.workspace_of(row)?.diff().map_err(RemoveError::from)?,
        None => vec![],
    };
    let home = agency.home().root().display().to_string();
    let shown = outcome.text(sample.tasks.first().map_or("", |task| task.name));
    let landing::LandedDemo { forecast, landed } = outcome;
    let repo = sample.path.display().to_string();
    let answer = Shown { repo, home, kept: args.keep, runs: views, forecast, landed };
    drop(agency);
    let agents = installed_agents(&place, context);
    if args.keep {
        let _kept = directory.keep();
    }
    context.answer(&answer, |out| {
        let width = own_terminal_size(std::io::stdout()).map(|size| size.columns.get());
        writeln!(out, "\n{}", run_table(&answer.runs, &[], Timestamp::now(), width))?;
        writeln!(out, "What {} changed:\n", sample.tasks.first().map_or("", |task| task.name))?;
        write!(out, "{}", coloured(&String::from_utf8_lossy(&diff)))?;
        write!(out, "\n{shown}")?;
        let agency = own_name();
        if answer.kept {
            let home = shell_quoted(&answer.home);
            writeln!(out, "\nKept: AGENCY_HOME={home} {agency} shows these runs.")?;
        }
        writeln!(out)?;
        for line in next_steps(&agency, &agents) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}

/// Opens a home of its own, in which the scripted agent has conversations.
fn open(place: &Path) -> Result<Agency, Problem> {
    let executable = own_executable()
        .map_err(|error| Problem::new(ErrorCode::Io, format!("the agency executable was not found: {error}")))?;
    let mut config = Config::default();
    if let Some((_, scripted)) = config.agent("scripted") {
        let mut scripted = scripted.clone();
        let args = vec!["scripted".to_owned(), PROTOCOL_OPTION.to_owned()];
        let stream = agency_adapters::StreamFormat::Claude;
        scripted.headless = Form { args, prompt: PromptDelivery::Protocol, stream, resume: None };
        config.agents.insert("scripted".to_owned(), scripted);
    }
    Ok(Agency::open(Home::new(place.join("home")), config, executable)?)
}

fn start_and_watch(
    agency: &mut Agency,
    plans: &[agency_engine::runs::create::Plan],
    started: &mut Vec<RunRow>,
    context: &Context,
    interrupted: &AtomicBool,
) -> Result<Vec<RunRow>, Problem> {
    for plan in plans {
        started.push(agency.create(plan, interrupted)?);
    }
    watch(agency, started, context, interrupted)
}

fn request(repo: &Path, task: &SampleTask) -> RunRequest {
    let environment: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    RunRequest {
        kind: RunKind::Run,
        spec_file: None,
        flags: SpecDraft {
            repo: Some(repo.display().to_string()),
            runner: Some(RunnerDraft { kind: Some("scripted".to_owned()), args: None }),
            name: Some(task.name.to_owned()),
            mode: Some(Mode::Headless),
            // Nothing of it stays, and a tmux session would.
            host: Some(Host::Detached),
            ..SpecDraft::default()
        },
        prompt_text: Some(task.prompt.to_owned()),
        include_changes: false,
        current_directory: repo.to_owned(),
        environment,
        may_wait: true,
        terminal: None,
        notify: false,
        workflow: None,
        setup: SetupChoice::Project,
    }
}

/// The agents of the user's own configuration that are installed, as they are typed.
fn installed_agents(place: &Path, context: &Context) -> Vec<String> {
    // Nothing is made in the user's own home for it.
    let opened = || Agency::open(Home::new(place.join("home")), context.config().ok()?, own_executable().ok()?).ok();
    let found = opened().map(|agency| {
        let here = context.current_directory().unwrap_or_default();
        agency.installed_agents(&here, &std::env::vars_os().collect())
    });
    found.unwrap_or_default().into_iter().filter(|name| name != "scripted").collect()
}

/// How to start a real agent, in three lines.
fn next_steps(agency: &str, agents: &[String]) -> [String; 3] {
    let [first, second] = match agents {
        [] => [
            format!("No real agent found: see {agency} help quick-start. Then, in a git repository:"),
            format!("  {agency} run \"Fix the login test\""),
        ],
        [agent, ..] => [
            format!("Found: {}. In a git repository of yours:", agents.join(", ")),
            format!("  {agency} run -a {agent} \"Fix the login test\""),
        ],
    };
    [first, second, format!("  {agency}    # all runs on one screen, their questions too; q leaves it")]
}

/// A diff in the usual colours.
fn coloured(diff: &str) -> String {
    use anstyle::AnsiColor;
    let mut text = String::new();
    for line in diff.lines() {
        let style = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => anstyle::Style::new().bold(),
            [b'+', ..] => AnsiColor::Green.on_default(),
            [b'-', ..] => AnsiColor::Red.on_default(),
            [b'@', b'@', ..] => AnsiColor::Cyan.on_default(),
            _ => anstyle::Style::new(),
        };
        text.push_str(&styled(style, line));
        text.push('\n');
    }
    text
}

/// How the user can call us: by name if that finds us, else by path.
fn own_name() -> String {
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("agency"));
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|directory| directory.join("agency")).find(|path| path.is_file());
    let same = found.and_then(|path| path.canonicalize().ok()).is_some_and(|path| path == own);
    if same {
        return "agency".to_owned();
    }
    let here = std::env::current_dir().unwrap_or_default();
    shell_quoted(own.strip_prefix(&here).unwrap_or(&own))
}
