//! As much of HTTP/1.1 as the agents' libraries use: one request per connection, answered at once or in pieces.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request as it came.
#[derive(Debug, Clone)]
pub(super) struct RawRequest {
    pub(super) method: String,
    pub(super) path: String,
    /// Names are in lower case.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

/// Reads a request; `None` for a connection that brought none.
pub(super) fn read(stream: &TcpStream) -> io::Result<Option<RawRequest>> {
    let mut reader = BufReader::new(stream);
    let first = line(&mut reader)?;
    let mut words = first.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let line = line(&mut reader)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let body = if headers.get("transfer-encoding").is_some_and(|coding| coding.contains("chunked")) {
        chunked_body(&mut reader)?
    } else {
        let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        exactly(&mut reader, length)?
    };
    Ok(Some(RawRequest { method, path, headers, body }))
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

fn exactly(reader: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn chunked_body(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(reader)?;
        // What follows a semicolon is an extension that is not used.
        let size = size.split(';').next().unwrap_or_default();
        let size = u64::from_str_radix(size, 16).map_err(io::Error::other)?;
        body.extend(exactly(reader, size)?);
        line(reader)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// The beginning of an answer.
fn head(status: u16, kind: &str, length: &str) -> String {
    format!("HTTP/1.1 {status} Stub\r\ncontent-type: {kind}\r\nconnection: close\r\n{length}\r\n\r\n")
}

/// Answers with one JSON value. A dropped answer promises all of it and sends half.
pub(super) fn answer(mut stream: &TcpStream, status: u16, body: &Value, is_dropped: bool) -> io::Result<()> {
    let body = body.to_string();
    let sent = if is_dropped { body.len() / 2 } else { body.len() };
    stream.write_all(head(status, "application/json", &format!("content-length: {}", body.len())).as_bytes())?;
    stream.write_all(&body.as_bytes()[..sent])
}

/// An answer to a `HEAD` request, which has no body.
pub(super) fn answer_head(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(head(200, "application/json", "content-length: 0").as_bytes())
}

/// A server-sent event.
#[derive(Debug)]
pub(super) struct ServerEvent {
    name: Option<&'static str>,
    data: String,
}

impl ServerEvent {
    /// An event whose name is also the `type` of its data, as two of the protocols have it.
    pub(super) fn named(name: &'static str, mut data: Value) -> Self {
        data["type"] = name.into();
        Self { name: Some(name), data: data.to_string() }
    }

    /// An event without a name.
    pub(super) fn data(data: &impl ToString) -> Self {
        Self { name: None, data: data.to_string() }
    }
}

/// Begins a streamed answer. Its pieces have lengths, so that a connection that is closed too early is seen as such.
pub(super) fn begin_stream(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(head(200, "text/event-stream", "transfer-encoding: chunked").as_bytes())
}

/// Sends one event of a streamed answer.
pub(super) fn send(mut stream: &TcpStream, event: &ServerEvent) -> io::Result<()> {
    let name = event.name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    let text = format!("{name}data: {}\n\n", event.data);
    stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}

/// Ends a streamed answer.
pub(super) fn end_stream(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")
}
