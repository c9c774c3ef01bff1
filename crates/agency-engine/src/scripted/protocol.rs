//! The scripted agent as one that has a conversation: it prints what it says as messages, and asks before it acts where its
//! script says so. It uses the messages that agency reads from many agents.

use std::cell::RefCell;
use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

use super::Permission;

/// No line of the other side is longer.
const MAX_LINE_BYTES: u64 = 1024 * 1024;

/// Writes lines of text as messages.
pub(super) struct Messages<'a, 'b> {
    out: &'a Shared<'b>,
    line: Vec<u8>,
}

/// Messages and questions go the same way.
pub(super) type Shared<'a> = RefCell<&'a mut dyn Write>;

impl<'a, 'b> Messages<'a, 'b> {
    pub(super) const fn new(out: &'a Shared<'b>) -> Self {
        Self { out, line: vec![] }
    }

    /// Ends the turn.
    pub(super) fn finish(mut self, success: bool) -> io::Result<()> {
        self.flush_line()?;
        let subtype = if success { "success" } else { "error_during_execution" };
        send(
            *self.out.borrow_mut(),
            &json!({ "type": "result", "subtype": subtype, "is_error": !success, "result": "" }),
        )
    }

    fn flush_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            return Ok(());
        }
        let content = json!([{ "type": "text", "text": text.trim_end() }]);
        send(
            *self.out.borrow_mut(),
            &json!({ "type": "assistant", "message": { "role": "assistant", "content": content } }),
        )
    }
}

impl Write for Messages<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            match byte {
                b'\n' => self.flush_line()?,
                byte => self.line.push(*byte),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.borrow_mut().flush()
    }
}

/// Reads the prompt that begins the conversation.
pub(super) fn prompt(input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<String> {
    loop {
        let Some(message) = message(input)? else { return Ok(String::new()) };
        if message["type"] != "user" {
            continue;
        }
        send(out, &json!({ "type": "system", "subtype": "init", "session_id": "scripted" }))?;
        let content = &message["message"]["content"];
        let text = |part: &Value| part["text"].as_str().map(str::to_owned);
        let parts = || content.as_array().map(|parts| parts.iter().filter_map(text).collect::<String>());
        return Ok(content.as_str().map(str::to_owned).or_else(parts).unwrap_or_default());
    }
}

/// Asks whether a command may be run, and waits for the answer.
pub(super) fn ask(number: usize, command: &str, input: &mut dyn BufRead, out: &Shared<'_>) -> io::Result<Permission> {
    let id = format!("ask-{number}");
    let request = json!({ "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": command } });
    send(*out.borrow_mut(), &json!({ "type": "control_request", "request_id": id, "request": request }))?;
    while let Some(message) = message(input)? {
        let response = &message["response"];
        if message["type"] == "control_response" && response["request_id"] == id.as_str() {
            let allowed = response["response"]["behavior"] == "allow";
            return Ok(if allowed { Permission::Allowed } else { Permission::Denied });
        }
    }
    Ok(Permission::Denied)
}

fn send(out: &mut dyn Write, message: &Value) -> io::Result<()> {
    writeln!(out, "{message}")?;
    out.flush()
}

/// The next line of the other side; nothing at the end. What is not JSON is passed over as null.
fn message(input: &mut dyn BufRead) -> io::Result<Option<Value>> {
    let mut line = vec![];
    let length = io::Read::take(&mut *input, MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
    Ok((length > 0).then(|| serde_json::from_slice(&line).unwrap_or_default()))
}
