//! `config`, `schema`, `completions`, `mcp`.

use super::{Console, sees};

#[test]
fn config() {
    let console = Console::new();
    sees!(console, ["config", "path"], @r"
    $ agency config path
    {world}/home/config.toml
    ");
    sees!(console, ["--config", "nothing.toml", "config", "show"], @r"
    $ agency --config nothing.toml config show
    error [E_INVALID_CONFIG]: nothing.toml: --config names this file, but it does not exist
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
    console.world.set("max_agent", "3");
    sees!(console, ["config", "show"], @r"
    $ agency config show
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:1: unknown key `max_agent`: did you mean `max_agents`?
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}

#[test]
fn schema() {
    let console = Console::new();
    sees!(console, ["schema", "stop"], @r##"
    $ agency schema stop
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "ok": {
          "const": true
        },
        "schema_version": {
          "const": 1
        },
        "data": {
          "type": "object",
          "properties": {
            "id": {
              "$ref": "#/$defs/RunId"
            },
            "name": {
              "type": [
                "string",
                "null"
              ]
            },
            "state": {
              "$ref": "#/$defs/State"
            },
            "phase": {
              "type": [
                "string",
                "null"
              ]
            },
            "attempt": {
              "type": "integer",
              "format": "uint32",
              "minimum": 0
            },
            "repo": {
              "type": "string"
            },
            "base_ref": {
              "type": "string"
            },
            "base_commit": {
              "type": "string"
            },
            "new_branch": {
              "type": [
                "string",
                "null"
              ]
            },
            "worktree_path": {
              "type": [
                "string",
                "null"
              ]
            },
            "workspace": {
              "$ref": "#/$defs/WorkspaceKind"
            },
            "runner": {
              "type": "string"
            },
            "runner_args": {
              "type": "array",
              "items": {
                "type": "string"
              }
            },
            "mode": {
              "$ref": "#/$defs/Mode"
            },
            "host": {
              "$ref": "#/$defs/Host"
            },
            "restart": {
              "$ref": "#/$defs/RestartPolicy"
            },
            "tmux_session": {
              "type": [
                "string",
                "null"
              ]
            },
            "created_at": {
              "type": "string",
              "format": "date-time"
            },
            "updated_at": {
              "type": "string",
              "format": "date-time"
            },
            "started_at": {
              "type": [
                "string",
                "null"
              ],
              "format": "date-time"
            },
            "ended_at": {
              "type": [
                "string",
                "null"
              ],
              "format": "date-time"
            },
            "exit_code": {
              "type": [
                "integer",
                "null"
              ],
              "format": "int32"
            },
            "signal": {
              "type": [
                "integer",
                "null"
              ],
              "format": "int32"
            },
            "reason": {
              "anyOf": [
                {
                  "$ref": "#/$defs/Reason"
                },
                {
                  "type": "null"
                }
              ]
            },
            "error": {
              "type": [
                "string",
                "null"
              ]
            },
            "run_dir": {
              "type": "string"
            },
            "stdout_log": {
              "type": "string"
            },
            "stderr_log": {
              "type": "string"
            },
            "saved_ref": {
              "type": [
                "string",
                "null"
              ]
            },
            "removed_at": {
              "type": [
                "string",
                "null"
              ],
              "format": "date-time"
            },
            "agent_session": {
              "type": [
                "string",
                "null"
              ]
            },
            "usage": {
              "anyOf": [
                {
                  "$ref": "#/$defs/Usage"
                },
                {
                  "type": "null"
                }
              ]
            },
            "parent_id": {
              "anyOf": [
                {
                  "$ref": "#/$defs/RunId"
                },
                {
                  "type": "null"
                }
              ]
            },
            "agent_version": {
              "type": [
                "string",
                "null"
              ]
            },
            "activity": {
              "anyOf": [
                {
                  "$ref": "#/$defs/Activity"
                },
                {
                  "type": "null"
                }
              ]
            },
            "activity_at": {
              "type": [
                "string",
                "null"
              ],
              "format": "date-time"
            },
            "kind": {
              "$ref": "#/$defs/RunKind"
            },
            "vcs": {
              "$ref": "#/$defs/Vcs"
            },
            "workflow_session": {
              "anyOf": [
                {
                  "$ref": "#/$defs/SessionId"
                },
                {
                  "type": "null"
                }
              ]
            }
          },
          "required": [
            "id",
            "state",
            "attempt",
            "repo",
            "base_ref",
            "base_commit",
            "workspace",
            "runner",
            "runner_args",
            "mode",
            "host",
            "restart",
            "created_at",
            "updated_at",
            "run_dir",
            "stdout_log",
            "stderr_log",
            "kind",
            "vcs"
          ],
          "description": "What every command says about a run.",
          "title": "RunView",
          "$schema": "https://json-schema.org/draft/2020-12/schema"
        }
      },
      "required": [
        "ok",
        "schema_version",
        "data"
      ],
      "$defs": {
        "RunId": {
          "type": "string",
          "description": "Identifies one run for ever; never reused."
        },
        "State": {
          "oneOf": [
            {
              "type": "string",
              "const": "queued",
              "description": "Created, waiting for its workspace or for a free slot."
            },
            {
              "type": "string",
              "const": "running",
              "description": "Its supervisor owns a process, or is between two attempts."
            },
            {
              "type": "string",
              "const": "completed",
              "description": "The agent ended well."
            },
            {
              "type": "string",
              "const": "failed",
              "description": "The agent ended badly, or could not start."
            },
            {
              "type": "string",
              "const": "killed",
              "description": "A user stopped it."
            }
          ],
          "description": "The stored state. The database refuses every transition but those of the state machine."
        },
        "WorkspaceKind": {
          "oneOf": [
            {
              "type": "string",
              "const": "worktree",
              "description": "A git worktree and branch of the run's own."
            },
            {
              "type": "string",
              "const": "none",
              "description": "The repository itself, shared with its user."
            },
            {
              "type": "string",
              "const": "shared",
              "description": "The worktree of another run: that of its workflow."
            },
            {
              "type": "string",
              "const": "scratch",
              "description": "A directory that goes when the run is over, with links to sources; only an ask has it."
            }
          ],
          "description": "Where the agent works."
        },
        "Mode": {
          "oneOf": [
            {
              "type": "string",
              "const": "interactive",
              "description": "Its own screen, on a terminal."
            },
            {
              "type": "string",
              "const": "headless",
              "description": "Its structured stream, on pipes."
            }
          ],
          "description": "What the agent talks to."
        },
        "Host": {
          "oneOf": [
            {
              "type": "string",
              "const": "tmux",
              "description": "A session of the user's tmux server."
            },
            {
              "type": "string",
              "const": "detached",
              "description": "A session of its own, without a terminal."
            }
          ],
          "description": "What the supervisor runs in."
        },
        "RestartPolicy": {
          "oneOf": [
            {
              "type": "string",
              "const": "never",
              "description": "The run has failed."
            },
            {
              "type": "string",
              "const": "on-crash",
              "description": "It is started again, until it has crashed too often in a row."
            }
          ],
          "description": "What happens when the agent crashes."
        },
        "Reason": {
          "oneOf": [
            {
              "type": "string",
              "const": "exited",
              "description": "The agent exited by itself."
            },
            {
              "type": "string",
              "const": "stopped",
              "description": "A user stopped it."
            },
            {
              "type": "string",
              "const": "wall_time",
              "description": "Its wall time was over."
            },
            {
              "type": "string",
              "const": "timeout",
              "description": "Nothing came from the agent, or no answer came to it, for too long."
            },
            {
              "type": "string",
              "const": "could_not_start",
              "description": "Its agent could not be started."
            },
            {
              "type": "string",
              "const": "disappeared",
              "description": "Its supervisor died without leaving a marker."
            }
          ],
          "description": "Why a run is over."
        },
        "Usage": {
          "type": "object",
          "properties": {
            "input_tokens": {
              "type": [
                "integer",
                "null"
              ],
              "format": "uint64",
              "minimum": 0,
              "description": "Tokens read by the model, cached ones included where the agent counts them so."
            },
            "output_tokens": {
              "type": [
                "integer",
                "null"
              ],
              "format": "uint64",
              "minimum": 0,
              "description": "Tokens written by the model."
            },
            "cached_tokens": {
              "type": [
                "integer",
                "null"
              ],
              "format": "uint64",
              "minimum": 0,
              "description": "Tokens read from a cache."
            },
            "cost_usd": {
              "type": [
                "number",
                "null"
              ],
              "format": "double",
              "description": "The cost in US dollars."
            }
          },
          "description": "Tokens and cost; a number that the agent never named is absent."
        },
        "Activity": {
          "oneOf": [
            {
              "type": "string",
              "const": "starting",
              "description": "Its process exists and has said nothing yet."
            },
            {
              "type": "string",
              "const": "thinking",
              "description": "The model is at work."
            },
            {
              "type": "string",
              "const": "writing",
              "description": "It writes an answer or a file."
            },
            {
              "type": "string",
              "const": "running_command",
              "description": "A tool is at work."
            },
            {
              "type": "string",
              "const": "waiting_for_user",
              "description": "It asked something and waits for the answer."
            },
            {
              "type": "string",
              "const": "idle",
              "description": "Its turn is over and it waits for the next message."
            },
            {
              "type": "string",
              "const": "unknown",
              "description": "Nobody can tell."
            }
          ],
          "description": "What an agent is doing."
        },
        "RunKind": {
          "oneOf": [
            {
              "type": "string",
              "const": "run",
              "description": "A piece of work that somebody started."
            },
            {
              "type": "string",
              "const": "agent",
              "description": "An agent with a name, which comes back when it crashes."
            },
            {
              "type": "string",
              "const": "task",
              "description": "A task of a workflow."
            },
            {
              "type": "string",
              "const": "ask",
              "description": "A question about sources, answered by an agent that leaves nothing behind."
            },
            {
              "type": "string",
              "const": "workflow",
              "description": "What drives a workflow: our own program, which starts the tasks and waits for them."
            }
          ],
          "description": "What a run is for."
        },
        "Vcs": {
          "oneOf": [
            {
              "type": "string",
              "const": "git",
              "description": "Git: a worktree on a branch."
            },
            {
              "type": "string",
              "const": "jj",
              "description": "Jujutsu: a workspace on a revision."
            }
          ],
          "description": "Who makes and removes the workspace."
        },
        "SessionId": {
          "type": "string",
          "description": "Identifies one session of a workflow for ever: `s_` and a ULID."
        }
      }
    }
    "##);
    sees!(console, ["schema", "run-spek"], @r"
    $ agency schema run-spek
    error [E_USAGE]: there is no schema 'run-spek'
    hint: did you mean run-spec?
    [exit status: 2]
    ");
}

#[test]
fn completions() {
    let console = Console::new();
    sees!(console, ["completions", "cobol"], @r"
    $ agency completions cobol
    error: invalid value 'cobol' for '<SHELL>'
      [possible values: bash, zsh, fish, elvish, powershell]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["completions"], @r"
    $ agency completions
    error: the following required arguments were not provided:
      <SHELL>

    Usage: agency completions <SHELL>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn mcp() {
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
}
