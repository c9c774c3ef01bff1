//! `attach`, `tui`.

use super::{Console, sees};

#[test]
fn attach() {
    let console = Console::new();
    console.start("waiting", "fix");
    sees!(console, ["attach", "fix"], @r"
    $ agency attach fix
    error [E_USAGE]: attaching needs a terminal
    hint: run it in a terminal, without pipes
    [exit status: 2]
    ");
    console.world.ok(&["stop", "fix"]);
    sees!(console, ["attach", "fix"], @r"
    $ agency attach fix
    error [E_INVALID_STATE]: fix is killed; there is nothing to attach to
    hint: agency logs fix shows its output
    [exit status: 4]
    ");
    sees!(console, ["attach", "nothing"], @r"
    $ agency attach nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
    let begun = console.world.begin(&console.repo, "waiting", &["--host", "detached", "--name", "screen"]);
    insta::assert_snapshot!(console.enter_on_terminal("ready", &["C-\\"], &["attach", "screen"]), @r"
    $ agency attach screen
    ready
    ");
    console.world.ok(&["stop", &begun.id]);
}

#[test]
fn tui() {
    let console = Console::new();
    sees!(console, ["tui"], @r"
    $ agency tui
    error [E_USAGE]: the TUI needs a terminal that can move its cursor
    hint: agency ls lists the runs; agency --help has all commands
    [exit status: 2]
    ");
    sees!(console, ["tui", "--json"], @r#"
    $ agency tui --json
    {"ok":false,"schema_version":1,"error":{"code":"E_USAGE","message":"the TUI has no JSON output","details":{},"hint":"agency ls --json lists the runs"}}
    [exit status: 2]
    "#);
    sees!(console, ["tui", "--nothing"], @r"
    $ agency tui --nothing
    error: unexpected argument '--nothing' found

    Usage: agency tui [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    console.finish("quick", "fix");
    let shown = console.enter_on_terminal("1 finished", &["q"], &["tui"]);
    let has_text = |line: &&str| line.chars().any(|sign| !"│ ".contains(sign));
    let shown: Vec<&str> = shown.lines().filter(has_text).collect();
    insta::assert_snapshot!(shown.join("\n"), @r"
    $ agency tui
    agency  0 live · 1 finished
    ╭ Runs ──────────────────────── by repository, newest first ──╮╭─Output──Diff──Events──Logs──Info──────────────────────╮
    │ project ──────────────────────────────────────────────────  ││ Select a run to look inside.  │
    │ ▸ 1 finished  ││  │
    ╰─────────────────────────────────────────────────────────────╯╰───────────────────────────────────────────────────────╯
    Enter open  / filter  n new  i inbox  ? help  q quit
    ");
}
