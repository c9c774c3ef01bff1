//! A model server whose answers a test scripts, for real agents, which take it for one of their vendors'.
//!
//! The one rule: which turn is answered depends on the request alone, so that an agent may repeat a request, resume a session
//! or work beside another, and gets the same answer that a real model would give it.

mod anthropic;
mod chat;
mod gemini;
mod http;
mod protocol;
mod request;
mod responses;
mod script;
#[cfg(test)]
mod tests;

pub use request::Request;
pub use script::{Script, Turn};

use crate::wait_for;
use http::ServerEvent;
use serde_json::{Value, json};
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long a request may take to come: some agents start slowly, and more slowly on a busy machine.
const WAIT_LIMIT: Duration = Duration::from_secs(180);

/// A server on a port of its own, on this machine only. It ends with the value, and its connections with it.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    script: Script,
    state: Mutex<ServerState>,
    ending: Condvar,
}

#[derive(Debug, Default)]
struct ServerState {
    requests: Vec<Request>,
    connections: Vec<TcpStream>,
    is_ending: bool,
}

impl ModelServer {
    /// Starts a model that follows this script.
    #[track_caller]
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared { script, state: Mutex::default(), ending: Condvar::new() });
        let listening = thread::spawn({
            let shared = Arc::clone(&shared);
            move || listen(&listener, &shared)
        });
        Self { address, shared, listening: Some(listening) }
    }

    /// Where it is: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state().requests.clone()
    }

    /// The requests so far that asked for a turn of the script, those that were repeated as often as they were.
    pub fn turns(&self) -> Vec<Request> {
        self.requests().into_iter().filter(|request| request.turn.is_some()).collect()
    }

    /// Waits until that many requests have come, and returns the last of them.
    #[track_caller]
    pub fn wait_for_request(&self, count: usize) -> Request {
        wait_for(&format!("request {count} to the model"), WAIT_LIMIT, || self.requests().into_iter().nth(count - 1))
    }

    /// Waits until a turn of the script, counted from 0, has been asked for, and returns the first request for it.
    #[track_caller]
    pub fn wait_for_turn(&self, number: usize) -> Request {
        let asks = |request: &Request| request.turn == Some(number);
        wait_for(&format!("a request for turn {number} of the model"), WAIT_LIMIT, || {
            self.requests().into_iter().find(asks)
        })
    }
}

impl ModelServer {
    /// Ends every connection and stops listening: new connections are refused.
    pub fn close(&mut self) {
        self.shared.end();
        // The listener wakes up at a connection.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes every connection and wakes every answer that pauses.
    fn end(&self) {
        let mut state = self.state();
        state.is_ending = true;
        for connection in &state.connections {
            // It may be closed already.
            let _ = connection.shutdown(Shutdown::Both);
        }
        self.ending.notify_all();
    }

    /// Pauses, unless the server ends.
    fn pause(&self, duration: Duration) {
        drop(self.ending.wait_timeout_while(self.state(), duration, |state| !state.is_ending));
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        let Ok(connection) = connection else { continue };
        // Small pieces are sent as they come.
        let _ = connection.set_nodelay(true);
        let mut state = shared.state();
        if state.is_ending {
            return;
        }
        state.connections.extend(connection.try_clone());
        drop(state);
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // An agent that hangs up has its reasons, and sees to them itself.
            let _ = serve(&connection, &shared);
            // The list holds the connection too, so that dropping it does not close it.
            let _ = connection.shutdown(Shutdown::Both);
        });
    }
}

fn serve(connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(raw) = http::read(connection)? else { return Ok(()) };
    let request = Request::new(raw);
    shared.state().requests.push(request.clone());
    let Some(protocol) = request.protocol else { return answer_in_passing(connection, &request) };
    let script = shared.script.of(&request);
    let turn = match request.turn {
        Some(number) => script.at(number),
        None => script.side_answer(),
    };
    shared.pause(turn.first_byte_after);
    if let Some(status) = turn.status {
        return http::answer(connection, status, &refusal(status), turn.is_dropped);
    }
    let model = &request.body["model"];
    if protocol.is_streamed(&request.path, &request.body) {
        stream(connection, shared, &turn, &protocol.stream(&turn, model))
    } else {
        http::answer(connection, 200, &protocol.whole(&turn, model), turn.is_dropped)
    }
}

fn stream(connection: &TcpStream, shared: &Shared, turn: &Turn, events: &[ServerEvent]) -> io::Result<()> {
    http::begin_stream(connection)?;
    let sent = if turn.is_dropped { events.len() / 2 } else { events.len() };
    for (index, event) in events[..sent].iter().enumerate() {
        if index > 0 && !turn.pause.is_zero() {
            shared.pause(turn.pause);
        }
        http::send(connection, event)?;
    }
    if turn.is_dropped { Ok(()) } else { http::end_stream(connection) }
}

/// What agents ask besides answers: whether the server is there, how long a text is, which models there are.
fn answer_in_passing(connection: &TcpStream, request: &Request) -> io::Result<()> {
    let path = request.path.split('?').next().unwrap_or_default();
    let (status, body) = match (request.method.as_str(), path) {
        ("HEAD", _) => return http::answer_head(connection),
        ("POST", path) if path.ends_with("/count_tokens") => (200, json!({ "input_tokens": 100 })),
        ("POST", path) if path.ends_with(":countTokens") => (200, json!({ "totalTokens": 100 })),
        ("GET", path) if path.ends_with("/models") => (200, json!({ "object": "list", "data": [], "models": [] })),
        _ => (404, refusal(404)),
    };
    http::answer(connection, status, &body, false)
}

/// An error in a shape that all agents understand.
fn refusal(status: u16) -> Value {
    let message = format!("the scripted model answers {status}");
    json!({ "type": "error", "error": { "type": "api_error", "code": status, "message": message } })
}

/// A name that nothing else has.
fn identity(kind: &str) -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    // As long as those of real models.
    format!("{kind}_{:020}", LAST.fetch_add(1, Ordering::Relaxed))
}
