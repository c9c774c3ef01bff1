//! `agency source show`: everything about one source.

use std::process::ExitCode;

use crate::command::completions::source_candidates;
use crate::context::Context;
use crate::problem::Problem;
use crate::view::SourceView;

/// Show everything about one source
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency source show langchain\n  agency source show --json langchain")]
pub(crate) struct Args {
    /// The source
    #[arg(add = source_candidates())]
    name: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let sources = context.sources()?;
    let catalogue = sources.catalogue()?;
    let source = sources.source(&args.name)?;
    let view = SourceView::new(&source, &sources, &catalogue);
    context.answer(&view, |out| {
        let lines = [
            ("source", Some(view.name.clone())),
            ("kind", Some(view.kind.to_owned())),
            ("url", view.url.clone()),
            ("ref", view.r#ref.clone()),
            ("path", Some(view.path.clone())),
            ("groups", Some(view.groups.join(", ")).filter(|groups| !groups.is_empty())),
            ("description", view.description.clone()),
            ("problem", view.problem.clone()),
        ];
        let mut lines = lines.into_iter().filter_map(|(label, value)| Some((label, value?)));
        lines.try_for_each(|(label, value)| writeln!(out, "{label:<14}{value}"))
    })
}
