//! `agency demo`: three agents at once on a sample repository; needs no model and no network.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::runs::create::RunRequest;
use agency_engine::runs::remove::RemoveError;
use agency_engine::scripted::sample::{self, SampleTask};
use agency_engine::store::RunRow;
use agency_engine::watch::Tail;
use agency_model::run::State;
use agency_model::spec::{RunnerDraft, SpecDraft};
use agency_model::{ErrorCode, Host, Mode, RunKind, escaped_line, shell_quoted};
use agency_system::process::own_terminal_size;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::output::{Surface, state_word, styled};
use crate::problem::Problem;
use crate::view::{RunView, run_table};

/// Watch three scripted agents work at once on a sample repository; needs no model and no network
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shown {
    repo: String,
    runs: Vec<RunView>,
}

/// How often the progress lines look for news.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

pub(crate) fn run(_args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let directory = tempfile::Builder::new()
        .prefix("agency-demo-")
        .tempdir()
        .map_err(|error| Problem::new(ErrorCode::Io, format!("no temporary directory: {error}")))?;
    let sample = sample::create(directory.path())
        .map_err(|error| Problem::new(ErrorCode::Io, format!("the sample: {error}")))?;
    // What is refused leaves no directory; from here on, runs work in it.
    let plans =
        sample.tasks.iter().map(|task| agency.plan(request(&sample.path, task))).collect::<Result<Vec<_>, _>>()?;
    let _kept = directory.keep();
    context.say(&format!("A sample repository is in {}", sample.path.display()));
    context.say("Three scripted agents start, each in a worktree of its own:\n");
    let mut started = vec![];
    for plan in &plans {
        started.push(agency.create(plan, &AtomicBool::new(false))?);
    }
    let ended = watch(&mut agency, &started, context)?;
    let views: Vec<RunView> = ended.iter().map(|row| RunView::new(row.clone(), agency.home())).collect();
    let diff = match ended.first() {
        Some(row) => agency.workspace_of(row)?.diff().map_err(RemoveError::from)?,
        None => vec![],
    };
    let answer = Shown { repo: sample.path.display().to_string(), runs: views };
    context.answer(&answer, |out| {
        let width = own_terminal_size(std::io::stdout()).map(|size| size.columns.get());
        writeln!(out, "\n{}", run_table(&answer.runs, &[], Timestamp::now(), width))?;
        writeln!(out, "What {} changed:\n", sample.tasks.first().map_or("", |task| task.name))?;
        write!(out, "{}", coloured(&String::from_utf8_lossy(&diff)))?;
        let agency = own_name();
        let name = answer.runs.first().map_or_else(String::new, |run| run.id.to_string());
        writeln!(out, "\nTry next:")?;
        writeln!(out, "  {agency}    (all runs on one screen; q leaves it)")?;
        writeln!(out, "  {agency} ls")?;
        writeln!(out, "  {agency} show {name}")?;
        writeln!(out, "  {agency} logs {name}")?;
        writeln!(out, "  {agency} events {name}")?;
        writeln!(out, "  {agency} rm --all-finished --dry-run")
    })
}

fn request(repo: &Path, task: &SampleTask) -> RunRequest {
    let environment: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    let search = environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    let has_tmux = std::env::split_paths(&search).any(|directory| directory.join("tmux").is_file());
    RunRequest {
        kind: RunKind::Run,
        spec_file: None,
        flags: SpecDraft {
            repo: Some(repo.display().to_string()),
            runner: Some(RunnerDraft { kind: Some("scripted".to_owned()), args: None }),
            name: Some(task.name.to_owned()),
            mode: Some(Mode::Headless),
            host: Some(if has_tmux { Host::Tmux } else { Host::Detached }),
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
    }
}

/// Shows the last line of each run until all have finished.
fn watch(agency: &mut Agency, rows: &[RunRow], context: &Context) -> Result<Vec<RunRow>, Problem> {
    let target = if context.is_watched() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bars = MultiProgress::with_draw_target(target);
    let style = ProgressStyle::with_template("{spinner} {prefix:<22} {wide_msg}").ok();
    let mut lines: Vec<ProgressLine> = rows
        .iter()
        .map(|row| ProgressLine::new(row, &bars, style.clone(), &agency.home().run(&row.id).combined_log()))
        .collect::<Result<_, _>>()?;
    let mut ended = vec![];
    loop {
        ended.clear();
        for (line, row) in lines.iter_mut().zip(rows) {
            let row = agency.wait(&row.id, Some(POLL_INTERVAL), State::is_terminal)?;
            line.update(&row, context);
            ended.push(row);
        }
        if ended.iter().all(|row| row.state.is_terminal()) {
            if context.is_watched() {
                // The last progress line has no end of its own.
                context.say("");
            }
            return Ok(ended);
        }
    }
}

struct ProgressLine {
    bar: ProgressBar,
    cursor: Tail,
    over: bool,
}

impl ProgressLine {
    fn new(row: &RunRow, bars: &MultiProgress, style: Option<ProgressStyle>, log: &Path) -> Result<Self, Problem> {
        let bar = bars.add(ProgressBar::new_spinner()).with_prefix(row.name.clone().unwrap_or_default());
        if let Some(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        let cursor =
            Tail::at(log, 0).map_err(|error| Problem::new(ErrorCode::Io, format!("{}: {error}", log.display())))?;
        Ok(Self { bar, cursor, over: false })
    }

    fn update(&mut self, row: &RunRow, context: &Context) {
        let mut text = vec![];
        // A line that cannot be read now is read at the next look.
        let _ = self.cursor.read(|piece| {
            text.extend_from_slice(piece);
            Ok(())
        });
        let text = String::from_utf8_lossy(&text);
        for said in text.lines().filter(|line| !line.trim().is_empty()) {
            if self.bar.is_hidden() {
                context.say(&format!("  {:<22} {said}", self.bar.prefix()));
            }
            self.bar.set_message(escaped_line(said));
        }
        if row.state.is_terminal() && !self.over {
            self.over = true;
            if self.bar.is_hidden() {
                context.say(&format!("  {:<22} {}", self.bar.prefix(), state_word(row.state)));
            }
            let state = Surface::stderr().shown(state_word(row.state).as_bytes());
            self.bar.finish_with_message(String::from_utf8_lossy(&state).into_owned());
        }
    }
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
