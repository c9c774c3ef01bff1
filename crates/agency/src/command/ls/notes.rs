//! The notes above and below the table.

use agency_engine::agency::Agency;
use agency_engine::runs::adopt::Unadopted;
use agency_engine::runs::list::Overview;

use super::Args;
use crate::context::Context;
use crate::problem::Problem;

/// The line above the table; none if nothing is live and nothing failed.
pub(super) fn header(overview: Overview) -> Option<String> {
    let Overview { waiting, running, queued, failed, since } = overview;
    let failed_when = if since.is_some() { "failed since you last looked" } else { "failed" };
    let parts: Vec<String> =
        [(waiting, "waiting"), (running.saturating_sub(waiting), "running"), (queued, "queued"), (failed, failed_when)]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// How many runs the table leaves out.
pub(super) fn shown_of(shown: usize, all: u64) -> Option<String> {
    (all > shown as u64).then(|| format!("showing {shown} of {all}; --all or --limit N shows more"))
}

/// Why there are none.
pub(super) fn empty(args: &Args, present: u64, with_removed: u64) -> String {
    let mut filters = vec![];
    filters.extend(args.state.iter().map(|state| format!("--state {state}")));
    filters.extend(args.repo.as_ref().map(|repo| format!("--repo {}", repo.display())));
    filters.extend(args.name.as_ref().map(|name| format!("--name {name}")));
    filters.extend(args.limit.filter(|limit| *limit == 0).map(|_| "--limit 0".to_owned()));
    let there_are =
        |count: u64| if count == 1 { "there is 1 run".to_owned() } else { format!("there are {count} runs") };
    match (filters.is_empty(), present, with_removed) {
        (_, 0, 0) => "No runs. Start one with agency run, or see agency demo.".to_owned(),
        (_, 0, removed) => format!("No runs: all {removed} were removed; agency ls --all lists them."),
        (false, present, _) => format!("No runs match {}; without it {}.", filters.join(" "), there_are(present)),
        (true, present, _) => format!("No runs to show; {}.", there_are(present)),
    }
}

/// Says which directories the database does not know.
pub(super) fn note_unadopted(agency: &mut Agency, context: &Context) -> Result<(), Problem> {
    let Unadopted { adoptable, unadoptable } = agency.unadopted()?;
    if adoptable > 0 {
        let runs = if adoptable == 1 { "a run that has" } else { "runs that have" };
        context.say(&format!(
            "The database does not know {runs} files ({adoptable}): agency reconcile adopts what it can."
        ));
    }
    if unadoptable > 0 {
        context.say(&format!(
            "{unadoptable} of the directories in {} cannot become runs again: agency doctor says why, and how to move them \
             aside.",
            agency.home().runs().display()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_counts_a_run_that_waits_once() {
        let overview =
            Overview { waiting: 2, running: 7, queued: 0, failed: 3, since: Some(jiff::Timestamp::UNIX_EPOCH) };
        assert_eq!(header(overview).as_deref(), Some("2 waiting · 5 running · 3 failed since you last looked"));
        let none = Overview { waiting: 0, running: 0, queued: 0, failed: 0, since: None };
        assert_eq!(header(none), None);
        assert_eq!(shown_of(50, 312).as_deref(), Some("showing 50 of 312; --all or --limit N shows more"));
        assert_eq!(shown_of(3, 3), None);
    }
}
