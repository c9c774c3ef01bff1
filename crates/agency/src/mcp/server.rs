//! The server: which tools there are, and how each call is run.
//!
//! Every call blocks, so each has a thread and opens the database for itself.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use agency_model::{ErrorCode, nearest};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use super::Client;
use super::progress::{ProgressNotifications, SILENCE};
use super::reply::{Reply, result};
use super::tool::{Call, Tool};
use crate::context::Context;
use crate::problem::Problem;

/// The number of progress notifications of a call that are queued; further ones are dropped.
const NEWS: usize = 16;

/// The instructions that clients pass to their models.
const INSTRUCTIONS: &str = "Agency runs AI coding agents. list_sources and ask_sources are for questions about code \
    and documents elsewhere on this machine: a fresh agent reads exactly those sources and answers. run_agent starts \
    an agent in a worktree of its own and returns at once; list_runs, show_run, run_output, stop_run, review_run, \
    list_checkpoints, restore_checkpoint, forecast and land_run are for these runs, start_race and show_race for several \
    agents with one prompt, and inbox for what agents ask their user.";

/// Answers one client.
#[derive(Debug)]
pub(super) struct Server {
    context: Context,
    client: watch::Receiver<Client>,
}

impl Server {
    pub(super) const fn new(context: Context, client: watch::Receiver<Client>) -> Self {
        Self { context, client }
    }

    async fn call(&self, tool: Tool, arguments: Value, request: RequestContext<RoleServer>) -> Result<Reply, Problem> {
        let (news, mut heard) = mpsc::channel(NEWS);
        // However this function returns, the calls are cancelled.
        let unwanted = Unwanted(Arc::default());
        let call = Call { context: self.context.clone(), arguments, news, unwanted: Arc::clone(&unwanted.0) };
        let mut work = tokio::task::spawn_blocking(move || tool.call(&call));
        let mut progress = ProgressNotifications::new(&request);
        let mut client = self.client.clone();
        let abandoned = async {
            let _ = client.wait_for(|client| *client != Client::Listening).await;
        };
        tokio::pin!(abandoned);
        let (mut last, mut is_wanted) = ("at work".to_owned(), true);
        loop {
            tokio::select! {
                ended = &mut work => return ended.unwrap_or_else(|error| {
                    Err(Problem::new(ErrorCode::Io, format!("{} failed unexpectedly: {error}", tool.as_str())))
                }),
                () = request.ct.cancelled(), if is_wanted => is_wanted = false,
                () = &mut abandoned, if is_wanted && tool.is_for_its_client() => is_wanted = false,
                Some(message) = heard.recv() => {
                    progress.tell(&message).await;
                    last = message;
                }
                () = tokio::time::sleep(SILENCE) => progress.tell(&last).await,
            }
            if !is_wanted {
                unwanted.0.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Set when an answer is not wanted any more, at the latest when it is dropped.
struct Unwanted(Arc<AtomicBool>);

impl Drop for Unwanted {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("agency", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(Tool::ALL.iter().map(|tool| tool.definition()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::from_name(&request.name) else {
            let meant = nearest(&request.name, Tool::ALL.iter().map(|tool| tool.as_str()));
            let meant = meant.map_or_else(String::new, |word| format!("; did you mean {word}?"));
            return Err(ErrorData::invalid_params(
                Cow::from(format!("there is no tool '{}'{meant}", request.name)),
                None,
            ));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let started = Instant::now();
        let reply = self.call(tool, arguments, context).await;
        let code = reply.as_ref().err().map(|problem| problem.code().as_str());
        tracing::debug!(tool = tool.as_str(), code, ms = started.elapsed().as_millis(), "tool called");
        Ok(result(reply).into())
    }
}
