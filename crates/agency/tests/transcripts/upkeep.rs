//! `reconcile`, `serve`, `doctor`, `adapters`.

use std::os::unix::fs::PermissionsExt as _;

use super::{Console, sees};

#[test]
fn reconcile() {
    let console = Console::new();
    sees!(console, ["reconcile"], @r"
    $ agency reconcile
    Everything agrees.
    ");
    sees!(console, ["reconcile", "--dry-run"], @r"
    $ agency reconcile --dry-run
    Everything agrees.
    ");
    sees!(console, ["reconcile", "now"], @r"
    $ agency reconcile now
    error: unexpected argument 'now' found

    Usage: agency reconcile [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["reconcile", "--nothing"], @r"
    $ agency reconcile --nothing
    error: unexpected argument '--nothing' found

    Usage: agency reconcile [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn serve() {
    let console = Console::new();
    insta::assert_snapshot!(console.enter_until("watching", &["serve"]), @r"
    $ agency serve
    agency serve: watching; Ctrl-C ends it and shuts the named agents down; other runs continue
    stopping all agents; they have [duration], Ctrl-C twice kills them at once
    ");
    sees!(console, ["serve", "now"], @r"
    $ agency serve now
    error: unexpected argument 'now' found

    Usage: agency serve [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["serve", "--nothing"], @r"
    $ agency serve --nothing
    error: unexpected argument '--nothing' found

    Usage: agency serve [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

/// A console whose PATH has git and tmux, but no agent.
fn console_without_agents() -> Console {
    let mut console = Console::new();
    let bin = console.world.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in ["git", "tmux", "sh"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|directory| directory.join(name))
            .find(|path| path.is_file());
        std::os::unix::fs::symlink(found.unwrap(), bin.join(name)).unwrap();
    }
    std::fs::set_permissions(console.world.agency_home(), std::fs::Permissions::from_mode(0o700)).unwrap();
    console.world.set_variable("PATH", bin.to_str().unwrap());
    console
}

#[test]
fn doctor() {
    let console = console_without_agents();
    sees!(console, ["doctor"], @r"
    $ agency doctor
    ok  git: git version [version]
    ok  jj: jj is not installed, or not on the PATH; only needed if you use it
    ok  tmux: tmux [version]
    ok  home: {world}/agency
    ok  diagnostics: each supervisor writes supervisor.log to its run directory below {world}/agency/runs; -v and AGENCY_LOG=debug record more
    ok  database: {world}/agency/agency.db
    ok  agent asking: {world}/agents/asking
    ok  agent chatty: {world}/agents/chatty
    ok  agent claude_code: 'claude' is not on the PATH; only needed if you use it
    ok  agent codex: 'codex' is not on the PATH; only needed if you use it
    ok  agent cursor: 'cursor-agent' is not on the PATH; only needed if you use it
    ok  agent failing: {world}/agents/failing
    ok  agent gemini: 'gemini' is not on the PATH; only needed if you use it
    ok  agent opencode: 'opencode' is not on the PATH; only needed if you use it
    ok  agent quick: {world}/agents/quick
    ok  agent scripted: agency
    ok  agent waiting: {world}/agents/waiting
    ok  runs: every run agrees with its files and processes; no leftovers
    ");
    sees!(console, ["doctor", "everything"], @r"
    $ agency doctor everything
    error: unexpected argument 'everything' found

    Usage: agency doctor [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    console.world.set("max_agents", "many");
    sees!(console, ["doctor"], @r"
    $ agency doctor
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}

#[test]
fn adapters() {
    let console = console_without_agents();
    sees!(console, ["adapters"], @r"
    $ agency adapters
    asking  version unknown  {world}/agents/asking
        interactive, headless, events, questions and messages, resume
    chatty  version unknown  {world}/agents/chatty
        interactive, headless, events, questions and messages, resume
    claude_code  not installed: npm install -g @anthropic-ai/claude-code
        interactive, headless, events, questions and messages, one-shot, screen rules, resume
    codex  not installed: npm install -g @openai/codex
        interactive, headless, events, questions and messages, one-shot, screen rules, resume
    cursor  not installed: see Cursor's own documentation of its command line
        interactive, headless, events, one-shot, resume
    failing  version unknown  {world}/agents/failing
        interactive, headless, one-shot
    gemini  not installed: npm install -g @google/gemini-cli
        interactive, headless, events, questions and messages, one-shot, screen rules, resume
    opencode  not installed: npm install -g opencode-ai
        interactive, headless, events, questions and messages, one-shot, screen rules, resume
    quick  version unknown  {world}/agents/quick
        interactive, headless, one-shot
    scripted  version unknown  [agency]
        interactive, headless, one-shot
    waiting  version unknown  {world}/agents/waiting
        interactive, headless, one-shot
    ");
    sees!(console, ["adapters", "quick"], @r"
    $ agency adapters quick
    error: unexpected argument 'quick' found

    Usage: agency adapters [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    console.world.set("max_agents", "many");
    sees!(console, ["adapters"], @r"
    $ agency adapters
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}

/// Replaces sizes, whose number of digits depends on the file system.
fn without_sizes() -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\b\d+(\.\d)? [kMGT]?B\b", "[size]");
    settings.add_filter(r"\[size\] +", "[size] ");
    settings.add_filter(r"\b(SIZE|WORKTREES?|LOGS|TRIALS) +", "$1 ");
    settings.bind_to_scope()
}

#[test]
fn du() {
    let console = Console::new();
    let _sizes = without_sizes();
    console.finish("quick", "fix");
    sees!(console, ["du", "--repo", "."], @r"
    $ agency du --repo .
    SIZE WORKTREE LOGS RUN  STATE  REPOSITORY
    [size] [size] [size] fix  completed  {world}/repos/project

    SIZE WORKTREES LOGS TRIALS RUNS  REPOSITORY
    [size] [size] [size] [size] 1  {world}/repos/project

    SIZE KIND
    [size] logs
    [size] worktrees

    [size] in {world}/agency; [size] are free
    ");
    sees!(console, ["du", "everything"], @r"
    $ agency du everything
    error: unexpected argument 'everything' found

    Usage: agency du [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["du", "--repository", "."], @r"
    $ agency du --repository .
    error: unexpected argument '--repository' found

      tip: a similar argument exists: '--repo'

    Usage: agency du --repo <DIR>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn gc() {
    let console = Console::new();
    let _sizes = without_sizes();
    console.world.configure("\n[gc]\nage = \"0s\"\n");
    console.finish("quick", "fix");
    console.finish("failing", "broken");
    sees!(console, ["gc", "--dry-run"], @r"
    $ agency gc --dry-run
    To be removed, [size]:
      broken ([size]): changed nothing; ended [duration]
    Kept:
      fix: 1 file is not committed
    ");
    sees!(console, ["gc"], @r"
    $ agency gc
    To be removed, [size]:
      broken ([size]): changed nothing; ended [duration]
    Kept:
      fix: 1 file is not committed
    error [E_USAGE]: 1 run would be removed, and there is no terminal to ask on; nothing was removed
    hint: agency gc --yes removes them; agency gc --dry-run shows them with the reasons
    [exit status: 2]
    ");
    sees!(console, ["gc", "--yes"], @r"
    $ agency gc --yes
    Removed, [size]:
      broken ([size]): changed nothing; ended [duration]
        the worktree is removed
        the branch agency/[run] stays
    Kept:
      fix: 1 file is not committed
    ");
    sees!(console, ["gc"], @r"
    $ agency gc
    Nothing was removed.
    Kept:
      fix: 1 file is not committed
    ");
    sees!(console, ["gc", "--older-than", "3d"], @r"
    $ agency gc --older-than 3d
    error: unexpected argument '--older-than' found

    Usage: agency gc [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}
