//! Creates a run as the form asks for it, and reads which agents there are.

use std::sync::atomic::AtomicBool;

use agency_engine::config::Origin;
use agency_engine::runs::create::{CreateError, PathUse, RunRequest};
use agency_model::ErrorCode;
use agency_model::run::State;
use agency_model::spec::{RunnerDraft, SpecDraft};

use super::failure;
use crate::context::Context;
use crate::problem::Problem;
use crate::tui::effect::{JobOutcome, label};
use crate::tui::form::{Agents, Field, RunSettings};

/// Creates a run; what is wrong with the request is said of the field that is to blame.
pub(super) fn create(
    context: &Context,
    settings: RunSettings,
    interrupted: &AtomicBool,
) -> Result<JobOutcome, Problem> {
    let mut agency = context.agency()?;
    let flags = SpecDraft {
        repo: settings.repository.map(at_home),
        base_ref: settings.base,
        runner: Some(RunnerDraft { kind: settings.runner, args: None }),
        name: settings.name,
        mode: Some(settings.mode),
        host: settings.host,
        ..SpecDraft::default()
    };
    let asked = context.run_request(flags)?;
    let request = RunRequest { prompt_text: Some(settings.prompt), notify: true, ..asked };
    let created = agency.plan(request).and_then(|plan| Ok((agency.create(&plan, interrupted)?, plan.notices)));
    Ok(match created {
        Ok((row, notices)) => {
            let said = match row.state == State::Queued {
                true => format!("{} is queued", label(&row)),
                false => format!("started {}", label(&row)),
            };
            let said = notices.into_iter().fold(said, |said, notice| format!("{said}; {notice}"));
            JobOutcome::Created { id: row.id, said }
        }
        Err(error) => JobOutcome::NotCreated { field: field_of(&error), failure: failure(error.into()) },
    })
}

/// The agents that can be run, and what is usual.
pub(super) fn agents(context: &Context) -> Result<JobOutcome, Problem> {
    let agency = context.agency()?;
    let here = context.current_directory()?;
    let config = agency.config();
    let chosen =
        config.values().into_iter().any(|value| value.key == "default_agent" && value.origin != Origin::Default);
    Ok(JobOutcome::Agents(Agents {
        adapters: agency.adapters(&here, &std::env::vars_os().collect()),
        usual: config.default_agent.clone(),
        usual_is_chosen: chosen,
        host: agency.usual_host(&here, &std::env::vars_os().collect()),
    }))
}

/// A path that begins with `~/`, as a shell would read it.
fn at_home(path: String) -> String {
    match (path.strip_prefix("~/"), std::env::var("HOME")) {
        (Some(rest), Ok(home)) => format!("{home}/{rest}"),
        (Some(_), Err(_)) | (None, _) => path,
    }
}

/// The field that is to blame.
fn field_of(error: &CreateError) -> Option<Field> {
    match error {
        CreateError::Spec(mistakes) => mistakes.first().and_then(|mistake| Field::named(&mistake.field)),
        CreateError::Value { field, .. } => Field::named(field),
        CreateError::Path { what, .. } => match what {
            PathUse::Repository => Some(Field::Repository),
            PathUse::Prompt => Some(Field::Prompt),
            PathUse::Spec
            | PathUse::Input
            | PathUse::Environment
            | PathUse::McpConfig
            | PathUse::Workspace
            | PathUse::Directory => None,
        },
        CreateError::Project(_) => Some(Field::Repository),
        CreateError::Runner { .. } => Some(Field::Runner),
        CreateError::Tmux(_) => Some(Field::Host),
        CreateError::Workspace(error) if error.code() == ErrorCode::BadRef => Some(Field::Base),
        CreateError::Workspace(error) => {
            let repository = [ErrorCode::NotGitRepo, ErrorCode::NotJjRepo, ErrorCode::PermissionDenied];
            repository.contains(&error.code()).then_some(Field::Repository)
        }
        CreateError::State { .. }
        | CreateError::Recursion
        | CreateError::MaxAgents { .. }
        | CreateError::Ports(_)
        | CreateError::Store(_)
        | CreateError::Home(_)
        | CreateError::Host(_)
        | CreateError::NotInitialised(_)
        | CreateError::PlanUsed(_)
        | CreateError::Start { .. }
        | CreateError::Stopped
        | CreateError::Interrupted => None,
    }
}
