//! Shows what each agent of the demo does, line by line, until all have finished.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::store::RunRow;
use agency_engine::watch::Tail;
use agency_model::run::State;
use agency_model::{ErrorCode, Event, EventLine, escaped_line};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::answers::Answers;
use crate::context::Context;
use crate::output::{Surface, state_word};
use crate::problem::Problem;

/// How often the progress lines look for news.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Shows the last line of each run until all have finished, and answers what they ask.
pub(super) fn watch(
    agency: &mut Agency,
    rows: &[RunRow],
    context: &Context,
    interrupted: &AtomicBool,
) -> Result<Vec<RunRow>, Problem> {
    let target = if context.is_watched() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bars = MultiProgress::with_draw_target(target);
    let style = ProgressStyle::with_template("{spinner} {prefix:<22} {wide_msg}").ok();
    let mut lines: Vec<ProgressLine> = rows
        .iter()
        .map(|row| ProgressLine::new(row, &bars, style.clone(), &agency.home().run(&row.id).events()))
        .collect::<Result<_, _>>()?;
    let mut answers = Answers::new(context)?;
    let mut ended = vec![];
    loop {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Problem::new(ErrorCode::Interrupted, "the demo was interrupted; its agents are stopped"));
        }
        // Before the lines: what an agent printed before it asked is shown before the question.
        let question = agency.inbox()?.into_iter().next();
        ended.clear();
        for (line, row) in lines.iter_mut().zip(rows) {
            let row = agency.wait(&row.id, Some(POLL_INTERVAL), State::is_terminal)?;
            line.update(&row, context);
            ended.push(row);
        }
        if let Some(question) = question {
            answers.handle(agency, &question, (rows, &bars, context))?;
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
    events: Tail,
    /// What was read of a line that is not complete.
    rest: Vec<u8>,
    over: bool,
}

impl ProgressLine {
    fn new(row: &RunRow, bars: &MultiProgress, style: Option<ProgressStyle>, events: &Path) -> Result<Self, Problem> {
        let bar = bars.add(ProgressBar::new_spinner()).with_prefix(row.name.clone().unwrap_or_default());
        if let Some(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        let failed = |error: std::io::Error| Problem::new(ErrorCode::Io, format!("{}: {error}", events.display()));
        Ok(Self { bar, events: Tail::at(events, 0).map_err(failed)?, rest: vec![], over: false })
    }

    fn update(&mut self, row: &RunRow, context: &Context) {
        let rest = &mut self.rest;
        // A line that cannot be read now is read at the next look.
        let _ = self.events.read(|piece| {
            rest.extend_from_slice(piece);
            Ok(())
        });
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            if let Ok(EventLine { event: Event::Output { text, .. }, .. }) = serde_json::from_slice(&line) {
                self.show(&text, context);
            }
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

    fn show(&self, said: &str, context: &Context) {
        for line in said.lines().filter(|line| !line.trim().is_empty()) {
            if self.bar.is_hidden() {
                context.say(&format!("  {:<22} {line}", self.bar.prefix()));
            }
            self.bar.set_message(escaped_line(line));
        }
    }
}
