//! `agency mcp`: sources and runs as tools for other agents, by the Model Context Protocol on standard input and output.
//!
//! The one rule: nothing but the protocol is ever written to standard output, and an ask ends with the client that
//! started it. Runs that were started stay.

mod checkpoints;
mod forecast;
mod inbox;
mod land;
mod pipes;
mod progress;
mod race;
mod reply;
mod review;
mod run_agent;
mod runs;
mod schema;
mod server;
mod sources;
mod tool;

use agency_model::ErrorCode;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::DuplexStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::context::Context;
use crate::problem::Problem;
use pipes::Pipes;
use server::Server;

/// Whether the client is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Client {
    /// It may ask for more.
    Listening,
    /// It sends no further requests, and may still read answers.
    Leaving,
    /// It reads nothing any more.
    Gone,
}

/// Serves one client until it goes away or a signal ends us.
pub(crate) fn serve(context: &Context) -> Result<(), Problem> {
    let broken = |error: std::io::Error| Problem::new(ErrorCode::Io, format!("the server cannot be started: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(broken)?;
    let (presence, client) = watch::channel(Client::Listening);
    let pipes = Pipes::open(runtime.handle(), &presence).map_err(broken)?;
    let served = runtime.block_on(converse(Server::new(context.clone(), client.clone()), pipes.stream, client));
    // It drops every call, which asks for its end, and waits for it; each has a limit of its own.
    drop(runtime);
    pipes.writer.finish();
    served
}

async fn converse(server: Server, stream: DuplexStream, mut client: watch::Receiver<Client>) -> Result<(), Problem> {
    let broken = |error: std::io::Error| Problem::new(ErrorCode::Io, format!("signals cannot be caught: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(broken)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(broken)?;
    let talk = async {
        match server.serve(stream).await {
            Ok(service) => {
                // The client is gone, so the result has no receiver.
                let _ = service.waiting().await;
                Ok(())
            }
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(Problem::new(ErrorCode::Usage, format!("the client does not speak MCP: {error}"))
                .hint("agency mcp is started by an agent; agency mcp install registers it")),
        }
    };
    tokio::select! {
        ended = talk => ended,
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
        _ = client.wait_for(|client| *client == Client::Gone) => Ok(()),
    }
}
