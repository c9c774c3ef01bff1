//! Runs a program for a script and passes its output on as it comes.
//!
//! The one rule: the step ends with the program, even if something it left behind still holds its output.

use super::ScriptError;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often the program is looked at while it says nothing.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long the last words of a program may take when something it left behind keeps its output open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A program to run.
pub(super) struct Invocation<'a> {
    pub(super) line: usize,
    pub(super) program: &'a str,
    pub(super) arguments: &'a [String],
    pub(super) directory: &'a Path,
}

/// Where the agent's output goes.
pub(super) struct Streams<'a> {
    pub(super) out: &'a mut dyn Write,
    pub(super) err: &'a mut dyn Write,
}

enum Chunk {
    Out(Vec<u8>),
    Err(Vec<u8>),
}

/// Runs a program to its end and returns its exit code, as a shell would give it.
#[expect(clippy::disallowed_methods, reason = "the scripted agent starts programs as agents do")]
pub(super) fn run(invocation: &Invocation<'_>, streams: &mut Streams<'_>) -> Result<u8, ScriptError> {
    let Invocation { line, program, arguments, directory } = *invocation;
    let failed = |source| ScriptError::Command { line, program: program.to_owned(), source };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let chunks = listen(&mut child);
    let status = loop {
        match chunks.recv_timeout(POLL_INTERVAL) {
            Ok(chunk) => pass_on(&chunk, streams)?,
            Err(RecvTimeoutError::Timeout) => {
                if let Some(status) = child.try_wait().map_err(failed)? {
                    break status;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break child.wait().map_err(failed)?,
        }
    };
    let deadline = Instant::now() + LAST_WORDS;
    while let Ok(chunk) = chunks.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        pass_on(&chunk, streams)?;
    }
    Ok(code(status))
}

fn listen(child: &mut Child) -> Receiver<Chunk> {
    let (sender, chunks) = sync_channel(16);
    if let Some(stream) = child.stdout.take() {
        let sender = sender.clone();
        thread::spawn(move || forward(stream, &sender, Chunk::Out));
    }
    if let Some(stream) = child.stderr.take() {
        thread::spawn(move || forward(stream, &sender, Chunk::Err));
    }
    chunks
}

fn forward(mut stream: impl Read, sender: &SyncSender<Chunk>, chunk: fn(Vec<u8>) -> Chunk) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => {
                if sender.send(chunk(buffer[..length].to_vec())).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn pass_on(chunk: &Chunk, streams: &mut Streams<'_>) -> Result<(), ScriptError> {
    let (stream, bytes): (&mut dyn Write, _) = match chunk {
        Chunk::Out(bytes) => (streams.out, bytes),
        Chunk::Err(bytes) => (streams.err, bytes),
    };
    stream.write_all(bytes).and_then(|()| stream.flush()).map_err(ScriptError::Output)
}

/// An exit code as it is; death by a signal as 128 and the signal.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invocation<'a>(program: &'a str, arguments: &'a [String]) -> Invocation<'a> {
        Invocation { line: 7, program, arguments, directory: Path::new("/") }
    }

    fn shell(script: &str) -> (u8, String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut streams = Streams { out: &mut out, err: &mut err };
        let code = run(&invocation("sh", &["-c".into(), script.into()]), &mut streams).unwrap();
        (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    #[test]
    fn output_and_exit_code_are_passed_on() {
        assert_eq!(shell("echo a; echo b >&2; exit 3"), (3, "a\n".into(), "b\n".into()));
        assert_eq!(shell("kill -9 $$").0, 137);
    }

    #[test]
    fn a_lot_of_output_arrives_whole() {
        let (code, out, _) = shell("yes | head -c 300000");
        assert_eq!((code, out.len()), (0, 300_000));
    }

    #[test]
    fn a_child_that_keeps_the_output_open_does_not_hold_the_script() {
        let (code, out, _) = shell("sleep 60 & echo $!");
        assert_eq!(code, 0);
        let left = rustix::process::Pid::from_raw(out.trim().parse().unwrap()).unwrap();
        rustix::process::kill_process(left, rustix::process::Signal::KILL).unwrap();
    }

    #[test]
    fn a_missing_program_is_an_error_with_its_line() {
        let mut streams = Streams { out: &mut Vec::new(), err: &mut Vec::new() };
        let error = run(&invocation("no-such-program", &[]), &mut streams).unwrap_err();
        assert_eq!(error.to_string(), "line 7: cannot run `no-such-program`");
    }
}
