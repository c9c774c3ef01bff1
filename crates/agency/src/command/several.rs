//! Commands about several runs at once: a failure of one does not stop the others.

use std::io;
use std::io::Write;
use std::process::ExitCode;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// The answer for several runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Several<T> {
    runs: Vec<T>,
}

/// Does something with each run that was named, prints the outcome of each, and fails with the first problem. One run is
/// answered as it is, several as a list.
pub(super) fn each<T: Serialize>(
    runs: &[String],
    context: &Context,
    act: impl FnMut(&str) -> Result<T, Problem>,
    print: impl Fn(&mut dyn Write, &T) -> io::Result<()>,
) -> Result<ExitCode, Problem> {
    let (done, failed) = attempt_each(runs, context, act);
    let human = |out: &mut dyn Write| {
        done.iter().enumerate().try_for_each(|(index, one)| {
            if index > 0 {
                writeln!(out)?;
            }
            print(out, one)
        })
    };
    match (failed, runs) {
        (Some(problem), [_]) => Err(problem),
        (Some(problem), _) if context.json() => Err(problem.detail("runs", &done)),
        (Some(problem), _) => context.print(human).and(Err(problem)),
        (None, [_]) => match done.first() {
            Some(one) => context.answer(one, |out| print(out, one)),
            None => Ok(ExitCode::SUCCESS),
        },
        (None, _) => {
            let mut text = vec![];
            human(&mut text).map_err(|error| Problem::output(&error))?;
            context.answer(&Several { runs: done }, |out| out.write_all(&text))
        }
    }
}

/// Does something with each run that was named. Returns what was done, and the first problem; later ones are reported at
/// once.
pub(super) fn attempt_each<T>(
    runs: &[String],
    context: &Context,
    mut act: impl FnMut(&str) -> Result<T, Problem>,
) -> (Vec<T>, Option<Problem>) {
    let mut done = vec![];
    let mut failed: Option<Problem> = None;
    for text in runs {
        match act(text) {
            Ok(one) => done.push(one),
            Err(problem) => {
                failed = Some(match failed {
                    None => problem,
                    Some(first) => {
                        context.report_to_people(&problem);
                        first
                    }
                });
            }
        }
    }
    (done, failed)
}
