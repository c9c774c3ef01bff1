//! The program without a command, and `demo`.

use super::{Console, sees};

#[test]
fn program() {
    let console = Console::new();
    sees!(console, ["--help"], @r#"
    $ agency --help
    Runs AI coding agents, each in its own workspace, supervised and logged

    Usage: agency [OPTIONS] [COMMAND]

    Commands:
      tui  Open the TUI: all runs, their output and questions; the same as agency without
                   arguments
      run  Start an agent in a workspace of its own
      race  Give several agents or models the same prompt, verify the results, and land one
      ls  List runs, those that need you first
      status  Print one line about all runs, for a tmux status bar or a shell prompt
      show  Show everything about runs, and the files they changed
      logs  Print what the agent wrote: readable on a terminal, byte for byte elsewhere
      events  Print the numbered events of a run; with --json, one JSON object per line
      diff  Print what a run changed against its base commit, committed or not
      forecast  Show which runs conflict with their target branch or with each other
      checkpoint  List, compare and restore the files of a run as they were at the end of each turn
      attach  Show the agent's terminal here; Ctrl-b d leaves tmux, Ctrl-\ leaves a detached run
      shell  Open a shell in the directory of a run, with its ports; or execute a command there
      cd  Print the directory of a run; with the script of agency completions, change to it
      open  Open the directory of a run in an editor
      wait  Wait until runs have finished (or have started), and exit as they did
      why  Show what an agent is doing, since when, and the event or screen line it follows from
      inbox  List what agents ask and wait for, oldest first
      answer  Answer a question of an agent; the first answer counts
      policy  Check approval rules, or show what they would have done with past permissions
      agent  Manage named agents: each in its own workspace, restarted after a crash
      ask  Ask a question about sources; a fresh agent reads exactly those and answers
      chat  Talk with an agent about sources, on your own terminal
      source  Keep a list of repositories, directories and files that questions can be about
      mcp  Serve sources and runs to other agents, as an MCP server on standard input and output
      send  Send a message to a running agent
      interrupt  Let a running agent stop what it is doing; it stays and waits for a message
      resume  Continue the conversation of a finished run, in the same workspace
      review  Comment on what a run changed, send the comments to its agent, or approve the work
      land  Bring the work of runs into a branch: commit, merge, check the merge, then move the
                   branch
      stop  Stop runs: TERM to the agent, the grace period, then KILL; the worktree stays
      rm  Remove worktrees and sessions of finished runs; uncommitted work is saved first
      restore  Bring work that `agency rm` saved back into a new branch, or with jj a new bookmark
      du  Show what takes disk space: runs, repositories and kinds of files, the largest first
      gc  Remove what finished runs hold and nothing needs any more, with a reason for each
      trust  Show what a repository's project file proposes, and approve it
      worktree  Show what worktrees of a repository get beside the files of their commit
      import  Adopt the worktrees of another program as finished runs; neither they nor its files
                   are changed
      init  Write example workflows, spells, a prompt and a project file; what is there is kept
      workflow  Execute workflow files: agents, commands, loops, reviews, merges
      reconcile  Write down how runs ended whose supervisor died, rebuild a lost database, and clear
                   up what crashes left
      serve  Watch all runs and reconcile those whose supervisor dies; no run depends on it
      doctor  Examine git, jj, tmux, the home, the database, the agents and the runs, and name a
                   fix for each problem
      cost  Show the tokens and the cost that agents reported
      adapters  List the agents that can be run: whether each is installed, its version, and what it
                   can do
      config  Show the configuration, or the file it is read from
      schema  Print JSON Schemas: of files that agency reads, and of every answer
      completions  Print a script that completes what is typed, and lets agency cd change directory
      man  Print a manual page, or write all of them into a directory
      help  Show the help of a command, or a page of the documentation
      demo  Watch three scripted agents work at once on a sample repository, and answer one of
                   them; needs no model and no network

    Options:
          --json  Print one JSON object and nothing else
          --config <FILE>  Read this configuration file (also $AGENCY_CONFIG)
      -v, --verbose...  Print diagnostics to standard error; twice for more (also $AGENCY_LOG)
      -q, --quiet  Print no notes and no progress, only what was asked for and errors
          --color <WHEN>  Use colours: auto, always or never (also $NO_COLOR)
      -h, --help  Print help
      -V, --version  Print version

    Without a command, agency opens the TUI.

    Start with `agency demo`, or in a git repository:
      agency run "Fix the failing test"
      agency ls
      agency attach last

    agency help <topic> shows a page of the documentation, agency help topics lists them.
    "#);
    sees!(console, ["runn"], @r"
    $ agency runn
    error: unrecognized subcommand 'runn'

      tip: a similar subcommand exists: 'run'

    Usage: agency [OPTIONS] [COMMAND]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

/// The transcript with the lines of each agent together: in which order the agents work depends on timing.
fn by_agent(transcript: &str) -> String {
    const AGENTS: [&str; 3] = ["  dig-a-cellar ", "  save-the-game ", "  write-a-walkthrough "];
    let agent = |line: &str| AGENTS.iter().position(|agent| line.starts_with(agent));
    let mut lines: Vec<&str> = transcript.lines().collect();
    let first = lines.iter().position(|line| agent(line).is_some()).unwrap();
    let length = lines[first..].iter().take_while(|line| agent(line).is_some()).count();
    lines[first..first + length].sort_by_key(|line| agent(line));
    lines.join("\n")
}

#[test]
fn demo() {
    let console = Console::new();
    insta::assert_snapshot!(by_agent(&console.enter(&["demo"])), @r#"
    $ agency demo
    A sample repository is in {world}/tmp/agency-demo-[random]/adventure
    Three scripted agents start, each in a worktree of its own.
    One of them will ask you something.

      dig-a-cellar  Reading lantern/rooms.py
      dig-a-cellar  A room is a function that adds itself to the house. The cellar goes below the kitchen.
      dig-a-cellar  Added the cellar to lantern/rooms.py
      dig-a-cellar  Committed [commit] Add a cellar below the kitchen
      dig-a-cellar  Writing a test that walks down and finds the key
      dig-a-cellar  I would like to see what is changed before I commit it: may I?
      dig-a-cellar  asks: may it run `git status --short`? No terminal, so the demo allows it.
      dig-a-cellar  ?? tests/test_cellar.py
      dig-a-cellar  Committed [commit] Test the way to the cellar
      dig-a-cellar  Done: a cellar, a key and a test, in two commits.
      dig-a-cellar  completed
      save-the-game  Reading lantern/game.py
      save-the-game  A game is a place, the things you carry and the things still lying around.
      save-the-game  Wrote lantern/save.py
      save-the-game  Committed [commit] Save a game as text and load it again
      save-the-game  Describing it in the README
      save-the-game  Committed [commit] Mention saved games in the README
      save-the-game  Done: saved games, in two commits.
      save-the-game  completed
      write-a-walkthrough  Walking through the house
      write-a-walkthrough  Wrote docs/walkthrough.md
      write-a-walkthrough  Committed [commit] Add a walkthrough for new players
      write-a-walkthrough  Players will ask what they carry: adding `inventory`
      write-a-walkthrough  Committed [commit] Add an inventory command
      write-a-walkthrough  Noting ideas for later
      write-a-walkthrough  Done: two commits. The ideas are not committed; they are yours to keep or drop.
      write-a-walkthrough  completed

    NAME  STATE  AGE  RUNNER  REPO  ID
    dig-a-cellar  completed  [duration]  scripted  adventure  [run]
    save-the-game  completed  [duration]  scripted  adventure  [run]
    write-a-walkthrough  completed  [duration]  scripted  adventure  [run]

    What dig-a-cellar changed:

    diff --git a/lantern/rooms.py b/lantern/rooms.py
    index 3adf455..5ddc7f3 100644
    --- a/lantern/rooms.py
    +++ b/lantern/rooms.py
    @@ -36,3 +36,11 @@ def build():
         for builder in BUILDERS:
             builder(rooms)
         return rooms
    +
    +
    +def cellar(rooms):
    +  rooms["cellar"] = Room("A cellar. Something drips.", ["key"])
    +  connect(rooms, "kitchen", "down", "cellar")
    +
    +
    +BUILDERS.append(cellar)
    diff --git a/tests/test_cellar.py b/tests/test_cellar.py
    new file mode 100644
    index 0000000..653f38e
    --- /dev/null
    +++ b/tests/test_cellar.py
    @@ -0,0 +1,11 @@
    +import unittest
    +
    +from lantern.game import Game
    +
    +
    +class CellarTest(unittest.TestCase):
    +  def test_the_key_lies_below_the_kitchen(self):
    +  game = Game()
    +  game.do("go north")
    +  self.assertIn("cellar", game.do("go down"))
    +  self.assertEqual(game.do("take key"), "You take the key.")

    Which works conflict (agency forecast):

    3 runs into main ([commit]), as of [time]

       RUN  TARGET  2  3
    1  dig-a-cellar  .  .  .
    2  save-the-game  .  X
    3  write-a-walkthrough  .  X

    . merges  X conflicts  ? not known  - nothing to merge

    Conflicts
      2 save-the-game with 3 write-a-walkthrough: README.md (contents)

    Landed (agency land dig-a-cellar): it is on main now, as [commit]

    Found: asking, chatty, failing, quick, waiting. In a git repository of yours:
      [agency] run -a asking "Fix the login test"
      [agency]  # all runs on one screen, their questions too; q leaves it
    "#);
    sees!(console, ["demo", "now"], @r"
    $ agency demo now
    error: unexpected argument 'now' found

    Usage: agency demo [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    console.world.set("max_agents", "many");
    sees!(console, ["demo"], @r"
    $ agency demo
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}

/// Each agent has one progress line, which keys do not move: also those that are no answer.
#[test]
fn demo_on_a_terminal_draws_its_progress_in_place() {
    let console = Console::new();
    let terminal = console.world.terminal(&["demo"]);
    terminal.resize(80, 24);
    terminal.wait_for_text("Press a to allow it, or d to deny it.");
    terminal.send_keys(&["Enter", "x", "a"]);
    assert_eq!(terminal.wait_for_exit(), 0, "{}", terminal.screen());
    let shown = terminal.history();
    assert!(shown.contains("\nAllowed: dig-a-cellar continues.\n"), "{shown}");
    let (progress, _table) = shown.split_once("\nNAME ").unwrap();
    for agent in ["dig-a-cellar", "save-the-game", "write-a-walkthrough"] {
        let lines = progress.lines().filter(|line| line.contains(&format!(" {agent} ")) && !line.contains("asks:"));
        let lines: Vec<&str> = lines.filter(|line| !line.contains(": dig")).collect();
        assert!(matches!(*lines, [line] if line.ends_with("completed")), "{lines:?} of:\n{shown}");
    }
}

/// A terminal that cannot move its cursor has no progress lines; what is asked is seen all the same.
#[test]
fn demo_asks_on_a_terminal_without_progress_lines() {
    let console = Console::new();
    let mut command = console.world.program("env");
    command.args(["TERM=dumb", env!("CARGO_BIN_EXE_agency"), "demo"]);
    let terminal = console.world.terminal_with(&command);
    terminal.wait_for_text("Press a to allow it, or d to deny it.");
    terminal.send_keys(&["a"]);
    assert_eq!(terminal.wait_for_exit(), 0, "{}", terminal.screen());
    let shown = terminal.history();
    assert!(shown.contains("\nAllowed: dig-a-cellar continues.\n"), "{shown}");
}

#[test]
fn an_interrupted_demo_leaves_the_terminal_as_it_was() {
    let console = Console::new();
    let terminal = console.world.terminal(&["demo"]);
    // Before it prints something, tmux may not have set all modes of a new terminal.
    terminal.wait_for_text("A sample repository is in");
    let before = terminal.modes();
    terminal.wait_for_text("Press a to allow it, or d to deny it.");
    assert_ne!(terminal.modes(), before, "keys are echoed");
    terminal.send_keys(&["C-c"]);
    assert_eq!(terminal.wait_for_exit(), 130, "{}", terminal.screen());
    assert_eq!(terminal.modes(), before, "{}", terminal.screen());
}
