//! The server as a client sees it, in each protocol.

mod anthropic;
mod chat;
mod connection;
mod gemini;
mod responses;

use super::{ModelServer, Script, Turn};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// What came back.
struct HttpAnswer {
    status: u16,
    text: String,
}

impl HttpAnswer {
    /// The JSON of an answer in one piece.
    #[track_caller]
    fn object(&self) -> Value {
        let (_, body) = self.text.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }

    /// The JSON of each event of a stream; whatever is not JSON is text.
    fn events(&self) -> Vec<Value> {
        let data = self.text.lines().filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| data.into())).collect()
    }

    /// The strings at one place of each event that has it, joined.
    fn joined(&self, pointer: &str) -> String {
        let events = self.events();
        events.iter().filter_map(|event| event.pointer(pointer)?.as_str()).collect()
    }

    /// Whether the stream was ended, and not cut off.
    fn is_whole(&self) -> bool {
        self.text.ends_with("0\r\n\r\n")
    }
}

fn exchange(server: &ModelServer, request: &str) -> HttpAnswer {
    let mut connection = TcpStream::connect(server.address).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    connection.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    connection.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let status = text.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
    HttpAnswer { status, text }
}

fn post(server: &ModelServer, path: &str, body: &Value) -> HttpAnswer {
    let body = body.to_string();
    exchange(server, &format!("POST {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()))
}
