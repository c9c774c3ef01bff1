//! `source` and its commands, `ask`, `chat`.

use super::{Console, sees};

#[test]
fn source() {
    let console = Console::new();
    sees!(console, ["source", "ls"], @r"
    $ agency source ls
    No sources. Add one with agency source add.
    ");
    sees!(console, ["source", "add", "project", "--dir", "."], @r#"
    $ agency source add project --dir .
    project  dir  {world}/repos/project
      ask about it:  agency ask -s project "…"
    "#);
    sees!(console, ["source", "add", "project", "--dir", "."], @r"
    $ agency source add project --dir .
    error [E_SOURCE_EXISTS]: a source named 'project' already exists
    hint: choose another name; agency source ls lists those that are taken
    [exit status: 4]
    ");
    sees!(console, ["source", "ls"], @r"
    $ agency source ls
    NAME  KIND  GROUPS  FROM  DESCRIPTION
    project  dir  {world}/repos/project
    ");
    sees!(console, ["source", "show", "projct"], @r"
    $ agency source show projct
    error [E_SOURCE_NOT_FOUND]: no source is named 'projct'; did you mean project?
    hint: agency source ls lists them
    [exit status: 3]
    ");
    sees!(console, ["source", "rm", "project"], @r"
    $ agency source rm project
    project is off the list; its files stay where they are
    ");
}

#[test]
fn ask() {
    let console = Console::new();
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
    let console = Console::new();
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
