//! `agency drive SESSION`: what the run of a workflow session is started with; not for users.

use std::process::ExitCode;

use agency_engine::orchestrator::{DriverContext, DriverProtocol, DriverStream, WorkflowExecutor};
use agency_model::{ErrorCode, SessionId};

use crate::context::Context;
use crate::problem::Problem;

/// Drive a workflow session
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The version of the driver protocol that the supervisor understands; without it, the supervisor is from before
    /// that protocol
    #[arg(long, value_name = "VERSION")]
    protocol: Option<u32>,
    session: SessionId,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let executable = std::env::current_exe()
        .map_err(|error| Problem::new(ErrorCode::Io, format!("the agency executable was not found: {error}")))?;
    let place = DriverContext {
        home: context.home()?,
        config: context.config()?,
        executable,
        environment: std::env::vars_os().collect(),
    };
    let protocol = DriverProtocol::for_version(args.protocol)
        .ok_or_else(|| Problem::new(ErrorCode::Usage, "--protocol names a version that this agency does not know"))?;
    let stream = DriverStream::new(Box::new(std::io::stdout()), protocol);
    let executor = WorkflowExecutor::open(place, &args.session, stream)?;
    // The protocol reports how the session ended; the exit code only that it was reported.
    executor.drive(std::io::stdin())?;
    Ok(ExitCode::SUCCESS)
}
