//! `agency schema`: the JSON Schemas of what agency reads and answers.

use std::process::ExitCode;

use agency_engine::config::config_schema;
use agency_engine::orchestrator::Overview;
use agency_engine::record::pid_file::PidFile;
use agency_engine::runs::orphans::KilledOrphan;
use agency_engine::store::RunRow;
use agency_engine::supervise::Notification;
use agency_model::policy::Policy;
use agency_model::run::Marker;
use agency_model::spec::run_spec_schema;
use agency_model::workflow::workflow_schema;
use agency_model::{ErrorCode, EventLine, nearest};
use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use super::{
    adapters, agent, answer, attach, checkpoint, config, diff, doctor, inbox, logs, mcp, policy, reconcile, restore,
    rm, run, send, serve, source, workflow,
};
use crate::context::Context;
use crate::object_schema::write_as_objects;
use crate::problem::Problem;
use crate::view::{
    Answered, Checkpoints, Inbox, QuestionView, RaceList, RaceView, Reason, RestoredCheckpoint, ReviewView, RunView,
    Runs, Shown, SourceList, SourceView,
};

/// Print JSON Schemas: of files that agency reads, and of every answer
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency schema\n  agency schema run-spec\n  agency schema ls")]
pub(crate) struct Args {
    /// Which one; without it, their names
    name: Option<String>,
}

type NamedSchema = (&'static str, &'static str, fn() -> Schema);

/// Every schema by name. An answer is named after its command.
const SCHEMAS: &[NamedSchema] = &[
    ("run-spec", "the file for agency run --spec", run_spec_schema),
    ("config", "the configuration file", config_schema),
    ("workflow", "a workflow file", workflow_schema),
    ("event", "a line of events.ndjson and of agency events --json", || schema_for!(EventLine)),
    ("done", "done.json", || schema_for!(Marker)),
    ("meta", "meta.json", || schema_for!(RunRow)),
    ("pid-file", "the pid file of an agent", || schema_for!(PidFile)),
    ("notification", "what the command of notify.command reads", || schema_for!(Notification)),
    ("error", "the answer of a command that fails", error_schema),
    ("run", "agency run", || answer_schema(schema_for!(super::run::Started))),
    ("run-dry-run", "agency run --dry-run", || answer_schema(schema_for!(run::dry_run::DryRun))),
    ("ls", "agency ls", || answer_schema(schema_for!(Runs))),
    ("status", "agency status --format json", || answer_schema(schema_for!(agency_engine::runs::list::Overview))),
    ("cost", "agency cost", || answer_schema(schema_for!(super::cost::Cost))),
    ("man", "agency man", || answer_schema(schema_for!(super::man::Pages))),
    ("help", "agency help", || answer_schema(schema_for!(super::help::Help))),
    ("show", "agency show", || answer_schema(schema_for!(Shown))),
    ("logs", "agency logs", || answer_schema(schema_for!(logs::Logs))),
    ("diff", "agency diff", || answer_schema(schema_for!(diff::Diff))),
    ("forecast", "agency forecast", || answer_schema(schema_for!(agency_engine::forecast::Forecast))),
    ("checkpoint-ls", "agency checkpoint ls", || answer_schema(schema_for!(Checkpoints))),
    ("checkpoint-show", "agency checkpoint show", || answer_schema(schema_for!(checkpoint::show::ShownCheckpoint))),
    ("checkpoint-diff", "agency checkpoint diff", || answer_schema(schema_for!(checkpoint::diff::CheckpointDiff))),
    ("checkpoint-restore", "agency checkpoint restore", || answer_schema(schema_for!(RestoredCheckpoint))),
    ("attach", "agency attach", || answer_schema(schema_for!(attach::HowToAttach))),
    ("shell", "agency shell", || answer_schema(schema_for!(super::shell::HowToEnter))),
    ("cd", "agency cd", || answer_schema(schema_for!(super::cd::RunDirectory))),
    ("open", "agency open", || answer_schema(schema_for!(super::open::HowToOpen))),
    ("worktree-plan", "agency worktree plan", || {
        answer_schema(schema_for!(agency_engine::runs::worktree_plan::WorktreePlan))
    }),
    ("wait", "agency wait", || answer_schema(schema_for!(RunView))),
    ("why", "agency why", || answer_schema(schema_for!(Reason))),
    ("inbox", "agency inbox", || answer_schema(schema_for!(Inbox))),
    ("inbox-follow", "a line of agency inbox --follow --json", || schema_for!(inbox::NewsLine)),
    ("inbox-show", "agency inbox show", || answer_schema(schema_for!(QuestionView))),
    ("answer", "agency answer", || answer_schema(schema_for!(answer::Answered))),
    ("agent-spawn", "agency agent spawn", || answer_schema(schema_for!(agent::AgentView))),
    ("agent-stop", "agency agent stop", || answer_schema(schema_for!(agent::AgentView))),
    ("agent-restart", "agency agent restart", || answer_schema(schema_for!(agent::AgentView))),
    ("agent-ls", "agency agent ls", || answer_schema(schema_for!(agent::ls::Agents))),
    ("agent-show", "agency agent show", || answer_schema(schema_for!(agent::show::ShownAgent))),
    ("agent-shutdown", "agency agent shutdown", || answer_schema(schema_for!(agent::shutdown::ShutDown))),
    ("workflow-run", "agency workflow run", || answer_schema(schema_for!(Overview))),
    ("workflow-ls", "agency workflow ls", || answer_schema(schema_for!(workflow::ls::Sessions))),
    ("workflow-show", "agency workflow show", || answer_schema(schema_for!(Overview))),
    ("workflow-logs", "agency workflow logs", || answer_schema(schema_for!(workflow::logs::Logs))),
    ("workflow-resume", "agency workflow resume", || answer_schema(schema_for!(Overview))),
    ("workflow-retry", "agency workflow retry", || answer_schema(schema_for!(Overview))),
    ("workflow-approve", "agency workflow approve", || answer_schema(schema_for!(Overview))),
    ("workflow-reject", "agency workflow reject", || answer_schema(schema_for!(Overview))),
    ("workflow-complete-task", "agency workflow complete-task", || answer_schema(schema_for!(Overview))),
    ("workflow-cancel", "agency workflow cancel", || answer_schema(schema_for!(Overview))),
    ("ask", "agency ask", || answer_schema(schema_for!(Answered))),
    ("source-add", "agency source add", || answer_schema(schema_for!(SourceView))),
    ("source-ls", "agency source ls", || answer_schema(schema_for!(SourceList))),
    ("source-show", "agency source show", || answer_schema(schema_for!(SourceView))),
    ("source-sync", "agency source sync", || answer_schema(schema_for!(source::sync::SyncedSources))),
    ("source-rm", "agency source rm", || answer_schema(schema_for!(source::rm::RemovedSource))),
    ("source-import", "agency source import", || answer_schema(schema_for!(source::import::ImportedSources))),
    ("source-group-add", "agency source group add", || answer_schema(schema_for!(source::group::GroupView))),
    ("source-group-ls", "agency source group ls", || answer_schema(schema_for!(source::group::Groups))),
    ("source-group-rm", "agency source group rm", || answer_schema(schema_for!(source::group::GroupView))),
    ("mcp-install", "agency mcp install", || answer_schema(schema_for!(mcp::install::Installed))),
    ("policy", "a file with approval rules alone, as JSON", || schema_for!(Policy)),
    ("policy-check", "agency policy check", || answer_schema(schema_for!(policy::Checked))),
    ("policy-test", "agency policy test", || answer_schema(schema_for!(policy::Tested))),
    ("agent-orphans", "agency agent orphans", || answer_schema(schema_for!(agent::orphans::Orphans))),
    ("agent-kill-orphan", "agency agent kill-orphan", || answer_schema(schema_for!(KilledOrphan))),
    ("send", "agency send", || answer_schema(schema_for!(send::DeliveryView))),
    ("interrupt", "agency interrupt", || answer_schema(schema_for!(send::DeliveryView))),
    ("review", "agency review", || answer_schema(schema_for!(ReviewView))),
    ("race", "agency race and agency race show", || answer_schema(schema_for!(RaceView))),
    ("race-ls", "agency race ls", || answer_schema(schema_for!(RaceList))),
    ("resume", "agency resume", || answer_schema(schema_for!(RunView))),
    ("adapters", "agency adapters", || answer_schema(schema_for!(adapters::Adapters))),
    ("stop", "agency stop with one run", || answer_schema(schema_for!(RunView))),
    ("stop-several", "agency stop with several runs", || answer_schema(schema_for!(Runs))),
    ("rm", "agency rm with one run", || answer_schema(schema_for!(rm::Outcome))),
    ("rm-several", "agency rm with several runs", || answer_schema(schema_for!(rm::RemovedRuns))),
    ("du", "agency du", || answer_schema(schema_for!(agency_engine::housekeeping::DiskUsage))),
    ("gc", "agency gc", || answer_schema(schema_for!(super::gc::CleanUp))),
    ("restore", "agency restore", || answer_schema(schema_for!(restore::RestoredWork))),
    ("land", "agency land", || answer_schema(schema_for!(super::land::LandAnswer))),
    ("land-all-ready-dry-run", "agency land --all-ready --dry-run", || {
        answer_schema(schema_for!(agency_engine::land::ReadyPlan))
    }),
    ("land-dry-run", "agency land --dry-run", || answer_schema(schema_for!(super::land::LandPlans))),
    ("trust", "agency trust", || answer_schema(schema_for!(super::trust::Trusted))),
    ("trust-ls", "agency trust ls", || answer_schema(schema_for!(super::trust::TrustedProjects))),
    ("trust-revoke", "agency trust revoke", || answer_schema(schema_for!(super::trust::Revoked))),
    ("import", "agency import", || answer_schema(schema_for!(super::import::Imported))),
    ("init", "agency init", || answer_schema(schema_for!(super::init::Initialised))),
    ("workflow-validate", "agency workflow validate", || answer_schema(schema_for!(workflow::Validation))),
    ("workflow-render", "agency workflow render", || answer_schema(schema_for!(workflow::Prompt))),
    ("reconcile", "agency reconcile", || answer_schema(schema_for!(reconcile::Reconciliation))),
    ("serve", "agency serve, when it is ended", || answer_schema(schema_for!(serve::Served))),
    ("doctor", "agency doctor", || answer_schema(schema_for!(doctor::Examination))),
    ("config-show", "agency config show", || answer_schema(schema_for!(config::Configuration))),
    ("config-path", "agency config path", || answer_schema(schema_for!(config::ConfigPath))),
    ("completions", "agency completions", || answer_schema(schema_for!(super::completions::Script))),
    ("demo", "agency demo", || answer_schema(schema_for!(super::demo::Shown))),
];

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let Some(name) = &args.name else {
        let names: Vec<Value> =
            SCHEMAS.iter().map(|(name, what, _)| json!({ "name": name, "describes": what })).collect();
        return context.answer(&json!({ "schemas": names }), |out| {
            SCHEMAS.iter().try_for_each(|(name, what, _)| writeln!(out, "{name:<24}{what}"))
        });
    };
    let Some((_, _, schema)) = SCHEMAS.iter().find(|(known, _, _)| known == name) else {
        let meant = nearest(name, SCHEMAS.iter().map(|(name, _, _)| *name));
        let problem = Problem::new(ErrorCode::Usage, format!("there is no schema '{name}'"));
        return Err(match meant {
            Some(meant) => problem.hint(format!("did you mean {meant}?")),
            None => problem.hint("agency schema lists them"),
        });
    };
    let mut schema = schema().to_value();
    write_as_objects(&mut schema);
    context.answer(&schema, |out| writeln!(out, "{}", serde_json::to_string_pretty(&schema)?))
}

/// Every answer is wrapped alike.
fn answer_schema(data: Schema) -> Schema {
    let mut data = data.to_value();
    let definitions = data.as_object_mut().and_then(|object| object.remove("$defs"));
    let mut whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": { "ok": { "const": true }, "schema_version": { "const": 1 }, "data": data },
        "required": ["ok", "schema_version", "data"],
    });
    if let (Some(object), Some(definitions)) = (whole.as_object_mut(), definitions) {
        object.insert("$defs".to_owned(), definitions);
    }
    Schema::try_from(whole).unwrap_or_default()
}

fn error_schema() -> Schema {
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "ok": { "const": false },
            "schema_version": { "const": 1 },
            "error": {
                "type": "object",
                "properties": {
                    "code": { "enum": codes },
                    "message": { "type": "string" },
                    "details": { "type": "object" },
                    "hint": { "type": "string" },
                },
                "required": ["code", "message", "details"],
            },
        },
        "required": ["ok", "schema_version", "error"],
    });
    Schema::try_from(whole).unwrap_or_default()
}
