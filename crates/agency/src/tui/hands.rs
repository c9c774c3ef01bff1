//! Does what the state says is to be done. Everything that may take a while is done in a thread of its own.

mod create;
mod lend;
mod session;
mod work;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::bell::Bell;
use super::effect::{Effect, Refusal};
use super::input::News;
use super::reader::Reader;
use super::terminal::Terminal;
use super::watcher::Nudge;
use crate::context::Context;
use crate::problem::Problem;

/// What is needed to do things.
pub(super) struct Hands {
    context: Context,
    bell: Bell,
    nudge: Nudge,
    reader: Reader,
    /// Set when the user leaves in the middle of something: what is being created is taken back.
    interrupted: Arc<AtomicBool>,
}

/// Whether the program goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Onward {
    Stay,
    Leave,
}

impl Hands {
    pub(super) fn new(context: &Context, bell: Bell, nudge: Nudge, reader: Reader) -> Self {
        Self { context: context.clone(), bell, nudge, reader, interrupted: Arc::default() }
    }

    /// Does one thing.
    pub(super) fn perform(&mut self, effect: Effect, terminal: &mut Terminal) -> io::Result<Onward> {
        match effect {
            Effect::Quit => {
                self.interrupted.store(true, Ordering::Relaxed);
                return Ok(Onward::Leave);
            }
            Effect::Suspend => terminal.lend(lend::suspend)?,
            Effect::Redraw => terminal.forget()?,
            Effect::Show(subject) => self.reader.show(subject.map(|subject| *subject)),
            Effect::Page(request) => self.reader.page(request),
            Effect::Do(number, job) => {
                let (context, bell, nudge) = (self.context.clone(), self.bell.clone(), self.nudge.clone());
                let interrupted = Arc::clone(&self.interrupted);
                std::thread::spawn(move || {
                    let outcome = work::work(&context, *job, &interrupted).map_err(refusal);
                    nudge.give();
                    bell.leave(News::Done { job: number, outcome });
                });
            }
            Effect::Lend(lending) => {
                let returned = lend::lend(lending, terminal, &self.context)?;
                self.nudge.give();
                if let Some(news) = returned {
                    self.bell.leave(news);
                }
            }
            Effect::Copy(text) => terminal.copy(&text)?,
        }
        Ok(Onward::Stay)
    }
}

/// A problem as the bottom line says it.
fn refusal(problem: Problem) -> Refusal {
    let (message, hint) = problem.into_words();
    Refusal { message, hint }
}
