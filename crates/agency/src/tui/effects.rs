//! Performs effects. The one rule: whatever may take a while runs in a thread of its own.

mod create;
mod foreground;
mod jobs;
mod session;

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::channel::EventSender;
use super::effect::{Effect, Failure};
use super::input::BackgroundEvent;
use super::reader::Reader;
use super::terminal::Terminal;
use super::watcher::RunsWatcher;
use crate::context::Context;
use crate::problem::Problem;

/// Performs effects.
pub(super) struct EffectRunner {
    context: Context,
    sender: EventSender,
    watcher: RunsWatcher,
    reader: Reader,
    /// Set when the user quits; a run that is being created is then removed again.
    interrupted: Arc<AtomicBool>,
}

impl EffectRunner {
    pub(super) fn new(context: &Context, sender: EventSender, watcher: RunsWatcher, reader: Reader) -> Self {
        Self { context: context.clone(), sender, watcher, reader, interrupted: Arc::default() }
    }

    /// Performs one effect; `Break` ends the program.
    pub(super) fn perform(&mut self, effect: Effect, terminal: &mut Terminal) -> io::Result<ControlFlow<()>> {
        match effect {
            Effect::Quit => {
                self.interrupted.store(true, Ordering::Relaxed);
                return Ok(ControlFlow::Break(()));
            }
            Effect::Suspend => terminal.release_while(foreground::suspend)?,
            Effect::Redraw => terminal.forget()?,
            Effect::Show(subject) => self.reader.show(subject.map(|subject| *subject)),
            Effect::Page(request) => self.reader.page(request),
            Effect::Do(number, job) => {
                let (context, sender, watcher) = (self.context.clone(), self.sender.clone(), self.watcher.clone());
                let interrupted = Arc::clone(&self.interrupted);
                std::thread::spawn(move || {
                    let outcome = jobs::run(&context, *job, &interrupted).map_err(failure);
                    watcher.look_now();
                    sender.send(BackgroundEvent::Done { job: number, outcome });
                });
            }
            Effect::RunForeground(program) => {
                let returned = foreground::run(program, terminal, &self.context)?;
                self.watcher.look_now();
                if let Some(news) = returned {
                    self.sender.send(news);
                }
            }
            Effect::Remember(memory) => {
                if let Ok(home) = self.context.home() {
                    memory.save(&home);
                }
            }
            Effect::Copy(text) => terminal.copy(&text)?,
            Effect::Notify(line) => {
                if let Ok(config) = self.context.config() {
                    terminal.notify(config.notify.bell, config.notify.desktop.then_some(&*line))?;
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// A problem as the status line shows it.
fn failure(problem: Problem) -> Failure {
    let (message, hint) = problem.into_words();
    Failure { message, hint }
}
