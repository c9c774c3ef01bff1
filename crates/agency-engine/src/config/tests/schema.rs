//! The schema that editors check whole files against.

use crate::config::config_schema;

#[test]
fn the_schema_has_every_default_and_refuses_other_keys() {
    let schema = config_schema().to_value();
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema).unwrap(), @r##"
    {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "default_agent": {
          "type": "string",
          "description": "The agent of a run that names none.",
          "default": "claude_code"
        },
        "max_agents": {
          "type": "integer",
          "format": "uint32",
          "minimum": 1,
          "description": "How many agents may be live at once, across all agency processes.",
          "default": 8
        },
        "host": {
          "$ref": "#/$defs/Host",
          "description": "What supervisors run in.",
          "default": "tmux"
        },
        "trust_worktrees": {
          "type": "boolean",
          "description": "Whether agents are told that they may trust the worktrees that agency makes for them.",
          "default": false
        },
        "wrapper": {
          "type": "string",
          "description": "A program that supervises, started as `<wrapper> <run_id>`. Empty: agency itself.",
          "default": ""
        },
        "tmux": {
          "$ref": "#/$defs/Tmux",
          "description": "The tmux server to use."
        },
        "limits": {
          "$ref": "#/$defs/Limits",
          "description": "How long things may take."
        },
        "database": {
          "$ref": "#/$defs/Database",
          "description": "The database of runs."
        },
        "approval_policy": {
          "$ref": "#/$defs/Policy",
          "description": "What agents may do without asking: rules in their order, of which the first that is about it decides.",
          "default": []
        },
        "notify": {
          "$ref": "#/$defs/Notify",
          "description": "How you are told that an agent asks, or that a run is over."
        },
        "agents": {
          "type": "object",
          "additionalProperties": {
            "$ref": "#/$defs/Agent"
          },
          "description": "Agents by name: built-in ones to change, and custom ones."
        }
      },
      "title": "agency configuration",
      "description": "The configuration of agency.",
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$defs": {
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
        "Tmux": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "socket": {
              "type": "string",
              "description": "The server's name, or the path of its socket. Empty: the user's default server.",
              "default": ""
            }
          },
          "description": "The tmux server to use."
        },
        "Limits": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "max_minutes": {
              "type": "integer",
              "format": "uint32",
              "minimum": 0,
              "description": "How many minutes a run may take. 0: no limit.",
              "maximum": 525600,
              "default": 0
            },
            "no_progress_minutes": {
              "type": "integer",
              "format": "uint32",
              "minimum": 0,
              "description": "How many minutes may pass without a sign of life from an agent. 0: no limit.",
              "maximum": 525600,
              "default": 0
            },
            "question_minutes": {
              "type": "integer",
              "format": "uint32",
              "minimum": 0,
              "description": "How many minutes a question of an agent may wait for its answer. 0: no limit.",
              "maximum": 525600,
              "default": 0
            },
            "stop_grace_seconds": {
              "type": "integer",
              "format": "uint32",
              "minimum": 0,
              "description": "How many seconds a stopped agent may take to end by itself.",
              "maximum": 86400,
              "default": 10
            }
          },
          "description": "How long things may take."
        },
        "Database": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "lock_timeout_seconds": {
              "type": "integer",
              "format": "uint32",
              "minimum": 0,
              "description": "How many seconds to wait for another process's write.",
              "maximum": 86400,
              "default": 30
            }
          },
          "description": "The database of runs."
        },
        "Policy": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/Rule"
          },
          "description": "Rules in their order: the first that is about a permission decides it."
        },
        "Rule": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "name": {
              "type": "string",
              "description": "What events call it; without one it is called by its number.",
              "minLength": 1,
              "maxLength": 100
            },
            "action": {
              "$ref": "#/$defs/Action",
              "description": "What it does."
            },
            "tool": {
              "$ref": "#/$defs/ToolPattern",
              "description": "The tools it is about: a name or a list of names, with `*` and `?`."
            },
            "command": {
              "$ref": "#/$defs/CommandPattern",
              "description": "The commands it is about: a list of words that they begin with, or one text with `*` and `?`."
            },
            "path": {
              "$ref": "#/$defs/PathPattern",
              "description": "The paths it is about: `inside`, `outside`, or a path below the workspace with `*`, `?` and `**`."
            },
            "message": {
              "type": "string",
              "description": "What the agent is told when it is denied."
            }
          },
          "required": [
            "action"
          ],
          "description": "What is to be done with permissions of some kind. All that it names has to be so."
        },
        "Action": {
          "oneOf": [
            {
              "type": "string",
              "const": "allow",
              "description": "The agent may, without a human."
            },
            {
              "type": "string",
              "const": "deny",
              "description": "The agent may not, without a human."
            },
            {
              "type": "string",
              "const": "ask",
              "description": "A human decides."
            }
          ],
          "description": "What a rule does."
        },
        "ToolPattern": {
          "anyOf": [
            {
              "type": "string"
            },
            {
              "type": "array",
              "items": {
                "type": "string"
              }
            }
          ],
          "description": "The tools that a rule is about. Capital letters do not matter, `-` and `_` are the same, `*` and `?` are wildcards."
        },
        "CommandPattern": {
          "anyOf": [
            {
              "type": "string"
            },
            {
              "type": "array",
              "items": {
                "type": "string"
              }
            }
          ],
          "description": "The commands that a rule is about: a list of words that a command begins with, or a text whose words have `*` and `?`.\nA `*` that is a whole word stands for any number of words."
        },
        "PathPattern": {
          "type": "string",
          "description": "The paths that a rule is about: `inside` or `outside` the workspace, or a path below it in which `*` and `?` are\nwildcards and `**` stands for any number of directories."
        },
        "Notify": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "bell": {
              "type": "boolean",
              "description": "Whether the bell rings in the run's tmux pane, and in a terminal that follows the inbox.",
              "default": true
            },
            "desktop": {
              "type": "boolean",
              "description": "Whether the desktop shows a notification, where it can.",
              "default": true
            },
            "command": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "A program and its arguments; it gets JSON on its standard input. Empty: none.",
              "default": []
            },
            "always": {
              "type": "boolean",
              "description": "Whether this also holds for runs that are not started from a terminal.",
              "default": false
            }
          },
          "description": "How you are told that an agent asks, or that a run is over."
        },
        "Agent": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "command": {
              "type": "string",
              "description": "The program: a name to look up, or a path. A custom agent needs it.",
              "minLength": 1
            },
            "args": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "Arguments, put after agency's own.",
              "default": []
            },
            "env": {
              "type": "object",
              "additionalProperties": {
                "type": "string"
              },
              "description": "Variables set for the agent.",
              "default": {}
            },
            "prompt": {
              "$ref": "#/$defs/PromptDelivery",
              "description": "How the prompt reaches the agent, in all forms."
            },
            "stream": {
              "$ref": "#/$defs/StreamFormat",
              "description": "What the agent prints in headless mode."
            },
            "screen": {
              "type": "string",
              "description": "A file with rules by which the agent's screen is read."
            },
            "interactive": {
              "$ref": "#/$defs/AgentForm",
              "description": "How it is started on a terminal."
            },
            "headless": {
              "$ref": "#/$defs/AgentForm",
              "description": "How it is started on pipes."
            },
            "one_shot": {
              "$ref": "#/$defs/AgentForm",
              "description": "How it is started on pipes where it is to ask nothing."
            }
          },
          "description": "An agent: what is not given here is taken from the built-in one of that name."
        },
        "PromptDelivery": {
          "type": "string",
          "description": "How the prompt reaches the agent.",
          "pattern": "^(stdin|argument|file|protocol|flag:-+[^\\s-]\\S*)$"
        },
        "StreamFormat": {
          "oneOf": [
            {
              "type": "string",
              "const": "text",
              "description": "Anything; only the log keeps it."
            },
            {
              "type": "string",
              "const": "claude",
              "description": "`claude -p --output-format stream-json --verbose`"
            },
            {
              "type": "string",
              "const": "codex",
              "description": "`codex exec --json`"
            },
            {
              "type": "string",
              "const": "gemini",
              "description": "`gemini -o stream-json`"
            },
            {
              "type": "string",
              "const": "opencode",
              "description": "`opencode run --format json`"
            },
            {
              "type": "string",
              "const": "acp",
              "description": "The Agent Client Protocol: `gemini --acp`, `opencode acp` and others"
            }
          ],
          "description": "What an agent prints in headless mode."
        },
        "AgentForm": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "args": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "Arguments, put before the agent's."
            },
            "prompt": {
              "$ref": "#/$defs/PromptDelivery",
              "description": "How the prompt reaches the agent."
            },
            "stream": {
              "$ref": "#/$defs/StreamFormat",
              "description": "What the agent prints."
            },
            "resume": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "The arguments instead of `args` that go on with a conversation; `{session}` stands for its id."
            }
          },
          "description": "One form in which an agent is started: what is not given here is as for the whole agent."
        }
      }
    }
    "##);
}
