//! A clean-up as text: one line for each thing, with its reason.

use std::io::{self, Write};

use agency_engine::agency::Agency;
use agency_engine::housekeeping::{DiskLimits, GcAction, GcCategory, GcEntry, GcReport, size_text};
use agency_model::escaped_line;

use crate::run_names::{called, with_names};

/// What would be removed and kept.
pub(super) fn print_plan(out: &mut dyn Write, plan: &GcReport, agency: &Agency) -> io::Result<()> {
    let (_, bytes) = counted(plan.with(GcAction::Remove));
    match plan.with(GcAction::Remove).next() {
        None => writeln!(out, "Nothing to remove.")?,
        Some(_) => section(out, &format!("To be removed, {}:", size_text(bytes)), plan, GcAction::Remove, agency)?,
    }
    print_rest(out, plan, agency)
}

/// What was removed and kept.
pub(super) fn print_result(out: &mut dyn Write, report: &GcReport, agency: &Agency) -> io::Result<()> {
    let freed = format!("Removed, {}:", size_text(report.freed_bytes));
    section(out, &freed, report, GcAction::Removed, agency)?;
    section(out, "Could not be removed:", report, GcAction::Failed, agency)?;
    section(out, "Not removed any more:", report, GcAction::Remove, agency)?;
    if report.with(GcAction::Removed).chain(report.with(GcAction::Failed)).next().is_none() {
        writeln!(out, "Nothing was removed.")?;
    }
    print_rest(out, report, agency)
}

/// How many things of each category these are, and how much they take.
pub(super) fn counted<'a>(entries: impl Iterator<Item = &'a GcEntry>) -> (String, u64) {
    let (mut counts, mut bytes) = ([0; 3], 0);
    for entry in entries {
        counts[place_of(entry.category)] += 1;
        bytes += entry.bytes.unwrap_or(0);
    }
    let one = |(count, (one, several)): (&usize, (&str, &str))| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {several}")),
    };
    let names = [("run", "runs"), ("trial tree", "trial trees"), ("ref with checkpoints", "refs with checkpoints")];
    let parts: Vec<String> = counts.iter().zip(names).filter_map(one).collect();
    (parts.join(", "), bytes)
}

const fn place_of(category: GcCategory) -> usize {
    match category {
        GcCategory::Worktree => 0,
        GcCategory::Trial => 1,
        GcCategory::Checkpoints => 2,
    }
}

fn section(out: &mut dyn Write, title: &str, report: &GcReport, action: GcAction, agency: &Agency) -> io::Result<()> {
    if report.with(action).next().is_some() {
        writeln!(out, "{title}")?;
    }
    report.with(action).try_for_each(|entry| print_entry(out, entry, agency))
}

fn print_entry(out: &mut dyn Write, entry: &GcEntry, agency: &Agency) -> io::Result<()> {
    let named = |text: &str| escaped_line(&with_names(text, |id| called(agency, id)));
    let size = entry.bytes.map_or_else(String::new, |bytes| format!(" ({})", size_text(bytes)));
    writeln!(out, "  {}{size}: {}", subject(entry, agency), named(&entry.why))?;
    for note in entry.notes.iter().chain(&entry.error) {
        writeln!(out, "    {}", named(note))?;
    }
    Ok(())
}

fn subject(entry: &GcEntry, agency: &Agency) -> String {
    match (entry.category, &entry.run, &entry.reference, &entry.path) {
        (GcCategory::Worktree, Some(run), _, _) => called(agency, run),
        (_, _, Some(reference), _) => escaped_line(reference),
        (_, _, None, Some(path)) => escaped_line(path),
        (_, _, None, None) => "unknown".to_owned(),
    }
}

/// What stays in any case.
fn print_rest(out: &mut dyn Write, report: &GcReport, agency: &Agency) -> io::Result<()> {
    section(out, "Kept:", report, GcAction::Keep, agency)?;
    if !report.kept_directories.is_empty() {
        writeln!(out, "Only you delete:")?;
    }
    for kept in &report.kept_directories {
        writeln!(out, "  {} ({})", escaped_line(&kept.path), size_text(kept.bytes))?;
    }
    print_limits(out, &report.limits)
}

fn print_limits(out: &mut dyn Write, limits: &DiskLimits) -> io::Result<()> {
    match limits.exceeded_bytes {
        0 => Ok(()),
        bytes => writeln!(out, "The limits of [gc] are exceeded by {}: nothing else may be removed.", size_text(bytes)),
    }
}
