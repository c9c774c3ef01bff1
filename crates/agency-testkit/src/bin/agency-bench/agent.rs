//! The agents of the benchmark: this program, started again.

use crate::rows::write_lines;
use crate::stamp;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

/// What a producer writes at once.
pub(crate) const BLOCK: usize = 64 * 1024;

/// Acts as the agent that the arguments name; agency adds the prompt as a last one.
pub(crate) fn act(started: Duration, arguments: &[String]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["report", socket, ..] => report(started, socket),
        ["lines", count, ..] => write_lines(count.parse().unwrap()),
        ["ask", socket, count, ..] => ask(started, socket, count.parse().unwrap()),
        ["chatter", ..] => chatter(),
        ["produce", blocks, ..] => produce(blocks.parse().unwrap()),
        other => panic!("no such agent: {other:?}"),
    }
    ExitCode::SUCCESS
}

/// Prints when it started, waits for a byte, prints when it ends.
fn report(started: Duration, socket: &str) {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(&stamp::to_bytes(started)).unwrap();
    // The benchmark may also simply be gone.
    let _ = stream.read(&mut [0]);
    let _ = stream.write_all(&stamp::to_bytes(stamp::now()));
}

/// Asks so often, each time when it gets a byte, and tells when it asked and when it read the answer. It speaks Claude
/// Code's protocol.
fn ask(started: Duration, socket: &str, count: u64) {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(&stamp::to_bytes(started)).unwrap();
    let mut lines = std::io::stdin().lines();
    let mut next = || lines.next().unwrap().unwrap();
    next();
    for number in 0..count {
        stream.read_exact(&mut [0]).unwrap();
        let request = format!(
            r#"{{"type":"control_request","request_id":"{number}","request":{{"subtype":"can_use_tool","tool_name":"Bash","input":{{"command":"touch {number}"}}}}}}"#
        );
        let asked = stamp::now();
        println!("{request}");
        next();
        let answered = stamp::now();
        stream.write_all(&stamp::to_bytes(asked)).unwrap();
        stream.write_all(&stamp::to_bytes(answered)).unwrap();
    }
    println!(r#"{{"type":"result","subtype":"success","is_error":false,"result":"done"}}"#);
    while lines.next().is_some() {}
}

/// Talks and uses tools, twenty times a second, until it is ended.
fn chatter() {
    for number in 0_u64.. {
        println!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"Looking at part {number} of the work."}},{{"type":"tool_use","id":"t{number}","name":"Bash","input":{{"command":"ls part-{number}"}}}}]}}}}"#
        );
        println!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t{number}","content":"a file and another\nand a third"}}]}}}}"#
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn produce(blocks: u64) {
    let mut out = std::io::stdout().lock();
    let mut block = first_block();
    for number in 0..blocks {
        number_block(&mut block, number);
        out.write_all(&block).unwrap();
    }
}

/// A block of lines, all different enough that a lost or doubled one shows in a checksum.
pub(crate) fn first_block() -> Vec<u8> {
    let mut block = Vec::with_capacity(BLOCK);
    let mut line = 0_u64;
    while block.len() < BLOCK {
        line += 1;
        block.extend_from_slice(format!("{:>16} all work and no play makes an agent dull\n", line * line).as_bytes());
    }
    block.truncate(BLOCK - 1);
    block.push(b'\n');
    block
}

/// Writes the number of a block to its beginning.
pub(crate) fn number_block(block: &mut [u8], number: u64) {
    block[..16].copy_from_slice(format!("{number:>16}").as_bytes());
}
