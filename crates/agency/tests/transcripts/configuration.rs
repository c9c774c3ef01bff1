//! `config`, `completions`.

use super::{Console, sees};

#[test]
fn config() {
    let console = Console::new();
    std::fs::write(console.world.root().join("home/config.toml"), "host = \"detached\"\nmax_agents = 4\n").unwrap();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(?m)^agents\..*\n", "");
    let built_in_agents = settings.bind_to_scope();
    sees!(console, ["config", "show"], @r#"
    $ agency config show
    default_agent = "claude_code"
    max_agents = 4
    host = "detached"
    branch_template = ""
    vcs = "auto"
    trust_worktrees = false
    allow_self_answer = false
    wrapper = ""
    diff_tool = ""
    pid_dir = ""
    sources_dir = ""
    tmux.socket = ""
    limits.max_minutes = 0
    limits.no_progress_minutes = 0
    limits.question_minutes = 0
    limits.unknown_minutes = 3
    limits.stop_grace_seconds = 10
    limits.shutdown_grace_seconds = 30
    restart.failures = 3
    restart.pauses_seconds = [1,5,15]
    restart.healthy_minutes = 10
    database.lock_timeout_seconds = 30
    approval_policy = []
    notify.bell = true
    notify.desktop = true
    notify.command = []
    notify.always = false
    forecast.automatic = true
    forecast.tell_agents = false
    gc.auto = false
    gc.age = "7d"
    gc.landed_after = "1d"
    gc.unused_after = "30d"
    gc.max_gb = 0
    gc.min_free_gb = 0
    land.attempts = 2
    mcp.allow_land = false
    tui.theme = "auto"
    tui.colors = {}
    "#);
    drop(built_in_agents);
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
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:1: `max_agent`: unknown key; did you mean `max_agents`?
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
    sees!(console, ["config", "path", "now"], @r"
    $ agency config path now
    error: unexpected argument 'now' found

    Usage: agency config path [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["config", "path", "--nothing"], @r"
    $ agency config path --nothing
    error: unexpected argument '--nothing' found

    Usage: agency config path [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn completions() {
    let console = Console::new();
    sees!(console, ["completions", "fish"], @r#"
    $ agency completions fish
    complete --keep-order --exclusive --command agency --arguments "(COMPLETE=fish agency -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"

    function agency
        if test "$argv[1]" != cd
            command agency $argv
            return
        end
        set -l directory (command agency $argv | string collect)
        or return
        if test -d "$directory"
            builtin cd -- "$directory"
        else
            printf '%s\n' "$directory"
        end
    end
    "#);
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
