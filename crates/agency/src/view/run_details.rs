//! Everything about one run.

use std::io::Write;

use agency_engine::agency::Agency;
use agency_engine::record::finish::read_markers;
use agency_engine::store::{QuestionRow, QuestionState, RunRow};
use agency_model::run::{ChangedPath, Reason, State};
use agency_model::{QuestionId, RunKind, Usage, Vcs, WorkspaceKind, hide_mcp_values};
use agency_workspace::ChangedFile;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::RunView;
use crate::output::{Surface, ago, field, state_word};

/// What there is to know about a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shown {
    #[serde(flatten)]
    run: RunView,
    spec: Option<Value>,
    inputs: Option<Value>,
    /// The agent's last answer, where its stream is understood.
    summary: Option<String>,
    /// The files that differ from the base commit now, or did when the run ended and its workspace is gone; null for a run
    /// in the user's own checkout. Those of an imported run are those of its worktree now.
    changed_files: Option<Vec<ChangedPath>>,
    /// What git printed about each directory that it could not open: files in it are not among `changed_files`. Where the
    /// files could not be compared at all, why; `changed_files` is then what was recorded when the run ended, or null.
    unread: Vec<String>,
    /// The open questions.
    #[serde(skip)]
    asks: Vec<QuestionId>,
}

/// Everything about a run.
pub(crate) fn shown(agency: &Agency, row: RunRow) -> Shown {
    let directory = agency.home().run(&row.id);
    let read = |name| {
        agency_engine::home::read_whole(&directory.file(name)).ok().and_then(|text| serde_json::from_slice(&text).ok())
    };
    // A workspace that is gone, or a repository that moved, has no changes to show. In the user's own checkout nothing
    // tells the agent's changes from the user's, and git takes several times as long as everything else here.
    let has_own = row.workspace != WorkspaceKind::None || row.reason == Some(Reason::Imported);
    let workspace = has_own.then(|| agency.workspace_of(&row).ok()).flatten();
    let workspace = workspace.filter(|workspace| workspace.directory().is_dir());
    let (changes, failure) = match workspace.map(|workspace| workspace.changes()) {
        Some(Ok(changes)) => (Some(changes), None),
        Some(Err(error)) => (None, Some(format!("the files cannot be compared: {error}"))),
        None => (None, None),
    };
    let done = read_markers(&directory);
    let (summary, noted) = done.map_or((None, None), |done| (done.summary, done.changed_files));
    let mut spec: Option<Value> = read("spec.json");
    if let Some(spec) = &mut spec {
        hide_mcp_values(spec);
    }
    let unread = changes.as_ref().map(|changes| changes.unread.clone());
    let unread = unread.unwrap_or_default().into_iter().chain(failure).collect();
    let open = |question: &QuestionRow| question.state == QuestionState::Open;
    let asks = agency.questions_of(&row.id).unwrap_or_default().into_iter().filter(open).map(|row| row.id).collect();
    Shown {
        unread,
        asks,
        run: RunView::new(row, agency.home()),
        spec,
        inputs: read("inputs.json"),
        summary,
        changed_files: changes.map(|changes| changes.files.iter().map(ChangedFile::noted).collect()).or(noted),
    }
}

impl Shown {
    /// Writes everything, a line each.
    pub(crate) fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        for (label, value) in self.facts(jiff::Timestamp::now()) {
            writeln!(out, "{label:<14}{value}")?;
        }
        for (label, value) in self.changed() {
            write!(out, "{label:<14}")?;
            out.write_all(&value)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// What there is to know, each with its name, as text for a terminal.
    pub(crate) fn lines(&self, now: jiff::Timestamp) -> Vec<(&'static str, String)> {
        let changed = self.changed().into_iter();
        let changed = changed.map(|(label, value)| (label, String::from_utf8_lossy(&value).into_owned()));
        self.facts(now).into_iter().chain(changed).collect()
    }

    /// The files that differ from the base, by the bytes of their names.
    fn changed(&self) -> Vec<(&'static str, Vec<u8>)> {
        let files = self.changed_files.iter().flatten().enumerate().map(|(index, file)| {
            let count = match (file.added, file.removed) {
                (Some(added), Some(removed)) => format!("+{added} -{removed}"),
                (_, _) => "binary".to_owned(),
            };
            let line = [file.bytes(), format!(" ({}, {count})", file.status).into_bytes()].concat();
            (if index == 0 { "changed" } else { "" }, Surface::stdout().field_bytes(&line))
        });
        let unread = self.unread.iter().map(|warning| ("not shown", Surface::stdout().field_bytes(warning.as_bytes())));
        files.chain(unread).collect()
    }

    /// Everything but the changed files.
    fn facts(&self, now: jiff::Timestamp) -> Vec<(&'static str, String)> {
        let run = &self.run;
        let time = |at: jiff::Timestamp| format!("{at} ({} ago)", ago(now, at));
        let mut lines = vec![("run", run.id.to_string())];
        lines.extend(run.name.clone().map(|name| ("name", name)));
        let status = if run.state == State::Running { format!(" ({})", run.status.as_str()) } else { String::new() };
        lines.push(("state", format!("{}{status}", state_word(run.state))));
        lines.extend(self.asks.iter().map(|id| ("asks", format!("agency inbox show {id}"))));
        lines.extend(run.error.clone().map(|error| ("error", error)));
        lines.extend(run.exit_code.map(|code| ("exit code", code.to_string())));
        lines.extend(run.signal.map(|signal| ("signal", signal.to_string())));
        let args = if run.runner_args.is_empty() { String::new() } else { format!(" {}", run.runner_args.join(" ")) };
        lines.push(("runner", format!("{}{args}, {} in {}", run.runner, run.mode, run.host)));
        if run.kind == RunKind::Ask {
            lines.push(("scratch", run.repo.clone()));
        } else {
            lines.push(("repository", run.repo.clone()));
            lines.push(("base", format!("{} ({})", run.base_ref, run.base_commit)));
            lines.push(("made by", run.vcs.to_string()));
        }
        let branch = match run.vcs {
            Vcs::Git => "branch",
            Vcs::Jj => "bookmark",
        };
        lines.extend(run.new_branch.clone().map(|name| (branch, name)));
        lines.extend(run.worktree_path.clone().map(|path| ("worktree", path)));
        lines.extend(run.tmux_session.clone().map(|session| ("session", session)));
        lines.push(("created", time(run.created_at)));
        lines.extend(run.started_at.map(|at| ("started", time(at))));
        lines.extend(run.ended_at.map(|at| ("ended", time(at))));
        lines.extend((run.attempt > 1).then(|| ("attempts", run.attempt.to_string())));
        lines.extend(run.agent_version.clone().map(|version| ("version", version)));
        lines.extend(run.parent_id.clone().map(|parent| ("continues", parent.to_string())));
        lines.extend(run.activity.map(|activity| ("activity", activity.to_string())));
        lines.extend(run.agent_session.clone().map(|session| ("conversation", session)));
        lines.extend(run.usage.map(|usage| ("usage", usage_words(&usage))));
        lines.extend(run.saved_ref.clone().map(|saved| ("saved work", saved)));
        lines.extend(landing(run, &time).map(|words| ("landed", words)));
        lines.extend(run.removed_at.map(|at| ("removed", time(at))));
        lines.push(("directory", run.run_dir.clone()));
        for (index, line) in self.summary.iter().flat_map(|summary| summary.lines()).enumerate() {
            lines.push((if index == 0 { "summary" } else { "" }, line.to_owned()));
        }
        lines.into_iter().map(|(label, value)| (label, field(&value))).collect()
    }

    /// The spec that the run was made from.
    pub(crate) const fn spec(&self) -> Option<&Value> {
        self.spec.as_ref()
    }
}

/// Where its work was brought, by what commit, and when.
fn landing(run: &RunView, time: &dyn Fn(jiff::Timestamp) -> String) -> Option<String> {
    let (at, into, commit) = (run.landed_at?, run.landed_into.as_deref()?, run.landed_commit.as_deref()?);
    Some(format!("on {into} as {commit:.12}, {}", time(at)))
}

fn usage_words(usage: &Usage) -> String {
    let tokens = |count: Option<u64>, word: &str| count.map(|count| format!("{count} tokens {word}"));
    let cost = usage.cost_usd.map(|cost| format!("${cost:.4}"));
    let parts = [
        tokens(usage.input_tokens, "in"),
        tokens(usage.cached_tokens, "cached"),
        tokens(usage.output_tokens, "out"),
        cost,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
