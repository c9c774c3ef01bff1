//! A client of the server: the one of the protocol's own library.

use std::sync::{Arc, Mutex};

use agency_testkit::{World, wait_for};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ProgressNotificationParam, ServerResult,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestHandle, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::Value;
use tokio::runtime::{Builder, Handle};

use super::fixture::LIMIT;

/// Notes what it is told while it waits.
#[derive(Debug, Clone, Default)]
pub(super) struct Ear(Arc<Mutex<Vec<ProgressNotificationParam>>>);

impl ClientHandler for Ear {
    async fn on_progress(&self, news: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        self.0.lock().unwrap().push(news);
    }
}

/// A client with a server of its own.
pub(super) struct Client {
    runtime: Handle,
    pub(super) service: RunningService<RoleClient, Ear>,
    ear: Ear,
    pub(super) server: u32,
}

impl Client {
    /// Starts the server of a world, and greets it.
    #[track_caller]
    pub(super) fn new(world: &World) -> Self {
        Self::started(world.command(&["mcp"]))
    }

    #[track_caller]
    pub(super) fn started(command: std::process::Command) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let handle = runtime.handle().clone();
        // It hears also while the test does something else, to the end of the test.
        std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        let ear = Ear::default();
        let (service, server) = handle.block_on(async {
            let child = TokioChildProcess::new(tokio::process::Command::from(command)).unwrap();
            let server = child.id().unwrap();
            (ear.clone().serve(child).await.unwrap(), server)
        });
        Self { runtime: handle, service, ear, server }
    }

    /// Calls a tool and waits for its answer.
    #[track_caller]
    pub(super) fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let called = self.service.call_tool(params(tool, arguments));
        let limited = async { tokio::time::timeout(LIMIT, called).await };
        self.runtime.block_on(limited).expect("no answer in time").unwrap()
    }

    /// The facts of a call that goes well.
    #[track_caller]
    pub(super) fn facts(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result.is_error, Some(false), "{result:#?}");
        result.structured_content.unwrap()
    }

    /// What is said about a call that goes wrong.
    #[track_caller]
    pub(super) fn error(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!((result.is_error, &result.structured_content), (Some(true), &None), "{result:#?}");
        serde_json::from_str(&text(&result)).unwrap()
    }

    /// How the protocol itself refuses a call.
    #[track_caller]
    pub(super) fn refusal(&self, tool: &'static str, arguments: Value) -> String {
        format!("{:?}", self.runtime.block_on(self.service.call_tool(params(tool, arguments))).unwrap_err())
    }

    /// Calls a tool and does not wait.
    #[track_caller]
    pub(super) fn begin(&self, tool: &'static str, arguments: Value) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params(tool, arguments)));
        let sent = self.service.send_cancellable_request(request, PeerRequestOptions::no_options());
        self.runtime.block_on(sent).unwrap()
    }

    #[track_caller]
    pub(super) fn cancel(&self, call: RequestHandle<RoleClient>) {
        self.runtime.block_on(call.cancel(Some("not wanted any more".to_owned()))).unwrap();
    }

    /// Waits for the answer to a call.
    #[track_caller]
    pub(super) fn end(&self, call: RequestHandle<RoleClient>) -> CallToolResult {
        let limited = async { tokio::time::timeout(LIMIT, call.await_response()).await };
        let answer = self.runtime.block_on(limited).expect("no answer in time").unwrap();
        let ServerResult::CallToolResult(result) = answer else { panic!("{answer:?}") };
        result
    }

    /// Waits until it is told that.
    #[track_caller]
    pub(super) fn wait_for_news(&self, words: &str) {
        wait_for(words, LIMIT, || self.news().iter().any(|news| news.contains(words)).then_some(()));
    }

    /// What it was told so far.
    pub(super) fn news(&self) -> Vec<String> {
        self.ear.0.lock().unwrap().iter().map(|news| news.message.clone().unwrap_or_default()).collect()
    }

    /// How far each piece of news said that the call is.
    pub(super) fn steps(&self) -> Vec<f64> {
        self.ear.0.lock().unwrap().iter().map(|news| news.progress).collect()
    }

    /// The tools of the server, as JSON.
    #[track_caller]
    pub(super) fn tools(&self) -> Vec<Value> {
        let tools = self.runtime.block_on(self.service.list_all_tools()).unwrap();
        tools.iter().map(|tool| serde_json::to_value(tool).unwrap()).collect()
    }

    /// Says goodbye.
    #[track_caller]
    pub(super) fn leave(self) {
        self.runtime.block_on(self.service.cancel()).unwrap();
    }
}

#[track_caller]
fn params(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(fields) = arguments else { panic!("{arguments} are no arguments") };
    CallToolRequestParams::new(tool).with_arguments(fields)
}

/// What a model reads of an answer.
#[track_caller]
pub(super) fn text(result: &CallToolResult) -> String {
    result.content[0].as_text().unwrap().text.clone()
}
