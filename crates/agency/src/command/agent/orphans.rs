//! `agency agent orphans`: agents that still run although their supervisor has died.

use std::io::Write;
use std::process::ExitCode;

use agency_engine::record::pid_file::UnclearPidFile;
use agency_engine::runs::orphans::OrphanInfo;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::output::{ago, plain};
use crate::problem::Problem;

/// List agents that still run although their supervisor was killed, with what they are doing and what can be done
#[derive(Debug, clap::Args)]
#[command(after_help = "Pid files that are no longer needed are deleted.\n\nExamples:\n  \
    agency agent orphans\n  agency agent orphans --json")]
pub(crate) struct Args {}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Orphans {
    orphans: Vec<OrphanView>,
    /// Pid files that cannot be read; they are left where they are.
    unclear: Vec<UnclearPidFile>,
}

/// An orphan, and what can be done about it.
#[derive(Debug, Serialize, JsonSchema)]
struct OrphanView {
    #[serde(flatten)]
    orphan: OrphanInfo,
    /// The command that ends it.
    kill: String,
    /// The command that shows its last screen, where there is one.
    attach: Option<String>,
}

impl OrphanView {
    fn new(orphan: OrphanInfo) -> Self {
        Self {
            kill: format!("agency agent kill-orphan {}", orphan.pid),
            attach: orphan.attachable.then(|| format!("agency attach {}", orphan.run_id)),
            orphan,
        }
    }

    fn write(&self, out: &mut dyn Write, now: Timestamp) -> std::io::Result<()> {
        let OrphanInfo { pid, run_id, run_name, run_state, command, process_state, cpu_ms, .. } = &self.orphan;
        let OrphanInfo { directory, since, descendants, workspace, .. } = &self.orphan;
        let label = run_name.as_deref().map_or_else(String::new, |name| format!(" ({})", plain(name)));
        writeln!(out, "{pid}  {}", plain(command))?;
        writeln!(out, "  run        {run_id}{label}, {run_state}")?;
        let state = process_state.as_str();
        let cpu = format!("{}.{}s", cpu_ms / 1000, cpu_ms % 1000 / 100);
        writeln!(out, "  doing      {state}; started {} ago, {cpu} of CPU used", ago(now, *since))?;
        writeln!(out, "  others     {descendants} more of the run")?;
        if let Some(directory) = directory.as_ref().filter(|directory| *directory != workspace) {
            writeln!(out, "  in         {}", plain(&directory.to_string_lossy()))?;
        }
        writeln!(out, "  workspace  {}", plain(&workspace.to_string_lossy()))?;
        writeln!(out, "  kill       {}", self.kill)?;
        if let Some(attach) = &self.attach {
            writeln!(out, "  attach     {attach}  (its last screen; input is not read)")?;
        }
        Ok(())
    }
}

pub(crate) fn run(_args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let orphans = agency.detect_orphans()?.into_iter().map(OrphanView::new).collect();
    let answer = Orphans { orphans, unclear: agency.unclear_pid_files() };
    context.answer(&answer, |out| {
        let now = Timestamp::now();
        for orphan in &answer.orphans {
            orphan.write(out, now)?;
        }
        if answer.orphans.is_empty() {
            writeln!(out, "No orphans: every running agent has its supervisor.")?;
        }
        for unclear in &answer.unclear {
            let path = plain(&unclear.path.to_string_lossy());
            writeln!(out, "{path} does not identify a process: {}", plain(&unclear.why))?;
            writeln!(out, "  to move it aside: agency doctor prints the command")?;
        }
        Ok(())
    })
}
