//! `agency inbox --follow`: what is asked, as it comes.

use std::io::IsTerminal;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::runs::inbox::InboxNews;
use agency_engine::store::QuestionState;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;
use crate::view::QuestionView;

const BELL: &[u8] = b"\x07";

/// One line of `agency inbox --follow --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NewsLine {
    news: News,
    question: QuestionView,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum News {
    /// It waits for an answer.
    Asked,
    /// It has been answered.
    Answered,
    /// The agent does not wait for an answer any more.
    Expired,
}

impl NewsLine {
    fn new(news: InboxNews, agency: &Agency) -> Self {
        let (news, row) = match news {
            InboxNews::Asked(row) => (News::Asked, row),
            InboxNews::Settled(row) => match row.state {
                QuestionState::Expired => (News::Expired, row),
                QuestionState::Open | QuestionState::Answered | QuestionState::Delivered => (News::Answered, row),
            },
        };
        Self { news, question: QuestionView::new(row, agency) }
    }
}

pub(super) fn follow(agency: &mut Agency, context: &Context) -> Result<ExitCode, Problem> {
    let watched = !context.json() && std::io::stdout().is_terminal();
    let rings = watched && agency.config().notify.bell;
    let mut inbox = agency.watch_inbox()?;
    let mut first_look = true;
    if watched {
        context.say("showing questions as they are asked; press Ctrl-C to stop");
    }
    loop {
        let lines: Vec<NewsLine> = inbox.next(agency)?.into_iter().map(|news| NewsLine::new(news, agency)).collect();
        let rings = rings && !first_look && lines.iter().any(|line| line.news == News::Asked);
        first_look = false;
        if context.json() {
            let mut text = vec![];
            for line in &lines {
                serde_json::to_writer(&mut text, line).map_err(|error| Problem::output(&error.into()))?;
                text.push(b'\n');
            }
            context.print_json(text).map_err(|error| Problem::output(&error))?;
            continue;
        }
        context.print(|out| {
            for line in &lines {
                match line.news {
                    News::Asked => {
                        line.question.write(out, false)?;
                        writeln!(out)?;
                    }
                    // With a pipe, only the questions are printed.
                    News::Answered | News::Expired if watched => writeln!(out, "{}\n", line.question.settled())?,
                    News::Answered | News::Expired => {}
                }
            }
            Ok(())
        })?;
        if rings {
            context.print_raw(BELL).map_err(|error| Problem::output(&error))?;
        }
    }
}
