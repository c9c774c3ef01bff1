//! `ask`, `chat`.

use super::{Console, sees};

/// A console with the source `project`, and an agent `reader` with a command for `ask` and one for `chat`.
fn console() -> Console {
    let console = Console::new();
    console.repo.write("notes.txt", "Notes.\n");
    console.enter(&["source", "add", "project", "--dir", "."]);
    let program = console.world.agent("reader", "ls project");
    console.world.configure(&format!("ask = {program:?}\nchat = {program:?}\n"));
    console
}

#[test]
fn ask() {
    let console = console();
    sees!(console, ["ask", "-s", "project", "--runner", "reader", "Which files are there?"], @r"
    $ agency ask -s project --runner reader Which files are there?
    README.md
    notes.txt
    src
    ");
    sees!(console, ["ask", "-s", "nothing", "Where is it?"], @r"
    $ agency ask -s nothing Where is it?
    error [E_SOURCE_NOT_FOUND]: no source is named 'nothing'
    hint: agency source ls lists them
    [exit status: 3]
    ");
    sees!(console, ["ask", "Where is it?"], @r"
    $ agency ask Where is it?
    error [E_USAGE]: no source is named
    hint: name one with -s, or a group with -g; agency source ls lists them
    [exit status: 2]
    ");
}

#[test]
fn chat() {
    let console = console();
    sees!(console, ["chat", "-s", "project", "--runner", "reader"], @r"
    $ agency chat -s project --runner reader
    README.md
    notes.txt
    src
    ");
    sees!(console, ["chat", "-s", "nothing"], @r"
    $ agency chat -s nothing
    error [E_SOURCE_NOT_FOUND]: no source is named 'nothing'
    hint: agency source ls lists them
    [exit status: 3]
    ");
    sees!(console, ["chat", "--json", "-s", "project"], @r#"
    $ agency chat --json -s project
    {"ok":false,"schema_version":1,"error":{"code":"E_USAGE","message":"agency chat needs a terminal and has no JSON output","details":{},"hint":"agency ask --json answers one question"}}
    [exit status: 2]
    "#);
}
