//! `mcp` and its commands.

use super::{Console, sees};

/// What a client sends first.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"client","version":"1"}}}
"#;

#[test]
fn install() {
    let console = Console::new();
    sees!(console, ["mcp", "install", "claude"], @r#"
    $ agency mcp install claude
    claude mcp add --scope user agency --env AGENCY_HOME={world}/agency --env AGENCY_CONFIG={world}/home/config.toml -- [agency] mcp

    or,
    in {world}/home/.claude.json:

    {
      "mcpServers": {
        "agency": {
          "type": "stdio",
          "command": "[agency]",
          "args": [
            "mcp"
          ],
          "env": {
            "AGENCY_HOME": "{world}/agency",
            "AGENCY_CONFIG": "{world}/home/config.toml"
          }
        }
      }
    }

    agency mcp install claude --write adds it.
    "#);
    sees!(console, ["mcp", "install", "cobol"], @r"
    $ agency mcp install cobol
    error: invalid value 'cobol' for '<CLIENT>'
      [possible values: claude, codex, gemini, opencode, cursor]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["mcp", "install"], @r"
    $ agency mcp install
    error: the following required arguments were not provided:
      <CLIENT>

    Usage: agency mcp install <CLIENT>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn mcp() {
    let console = Console::new();
    insta::assert_snapshot!(console.enter_with_input(INITIALIZE, &["mcp"]), @r#"
    $ agency mcp
    {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"agency","version":"0.1.0"},"instructions":"Agency runs AI coding agents. list_sources and ask_sources are for questions about code and documents elsewhere on this machine: a fresh agent reads exactly those sources and answers. run_agent starts an agent in a worktree of its own and returns at once; list_runs, show_run, run_output, stop_run, review_run, list_checkpoints, restore_checkpoint, forecast and land_run are for these runs, start_race and show_race for several agents with one prompt, and inbox for what agents ask their user."}}
    "#);
    sees!(console, ["mcp", "serve"], @r"
    $ agency mcp serve
    error: unrecognized subcommand 'serve'

    Usage: agency mcp [OPTIONS] [COMMAND]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["mcp", "--nothing"], @r"
    $ agency mcp --nothing
    error: unexpected argument '--nothing' found

    Usage: agency mcp [OPTIONS] [COMMAND]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}
