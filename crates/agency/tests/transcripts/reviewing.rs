//! `review` and `race`.

use super::{Console, sees};

#[test]
fn review() {
    let console = Console::new();
    console.finish("quick", "fix");
    sees!(console, ["review", "--send", "fix"], @r"
    $ agency review --send fix
    error [E_INVALID_STATE]: no comment on the work of fix is open
    hint: agency review fix --comment FILE:LINE:TEXT writes one
    [exit status: 4]
    ");
    sees!(console, ["review", "--comment", "new.txt:1:Why this?", "fix"], @r"
    $ agency review --comment new.txt:1:Why this? fix
    fix: tree [commit], not approved

    #1  open  new.txt:1
        > new
        Why this?
    ");
    sees!(console, ["review", "--comment", "none.txt:1:x", "fix"], @r"
    $ agency review --comment none.txt:1:x fix
    error [E_INVALID_COMMENT]: none.txt: there is no such file
    hint: name a file and lines that agency diff shows
    [exit status: 2]
    ");
    sees!(console, ["review", "--withdraw", "1", "--approve", "fix"], @r"
    $ agency review --withdraw 1 --approve fix
    fix: tree [commit], approved by ada

    #1  withdrawn  new.txt:1
        > new
        Why this?
    ");
}

#[test]
fn race() {
    let console = Console::new();
    sees!(console, ["race", "--agents", "quick,failing"], @r"
    $ agency race --agents quick,failing
    error [E_USAGE]: No prompt: use agency race 'TEXT', --prompt TEXT or --prompt-file FILE
    hint: agency race --help shows examples
    [exit status: 2]
    ");
    sees!(console, ["race", "--agents", "quick", "Do it"], @r"
    $ agency race --agents quick Do it
    error [E_INVALID_SPEC]: a race needs at least two agents, and at most 32
    hint: name them with --agents, such as --agents claude_code,codex:gpt-5
    [exit status: 2]
    ");
    sees!(console, ["race", "-q", "--agents", "quick,failing", "--verify", "test -e new.txt", "Do it"], @r"
    $ agency race -q --agents quick,failing --verify test -e new.txt Do it
    [race]  2 runs at [commit]
      verified by test -e new.txt
    #  NAME  AGENT  STATE  VERIFY  FILES  LINES  COST  TIME  CONFLICTS
    1  do-it  quick  completed  passed  1  +1 -0  -  [duration]  no
    2  do-it-2  failing  failed  failed with code 1  0  +0 -0  -  [duration]  no
    best: do-it  agency diff do-it  agency land do-it
    ");
    sees!(console, ["race", "show", "last"], @r"
    $ agency race show last
    [race]  2 runs at [commit]
      verified by test -e new.txt
    #  NAME  AGENT  STATE  VERIFY  FILES  LINES  COST  TIME  CONFLICTS
    1  do-it  quick  completed  passed  1  +1 -0  -  [duration]  no
    2  do-it-2  failing  failed  failed with code 1  0  +0 -0  -  [duration]  no
    best: do-it  agency diff do-it  agency land do-it
    ");
    sees!(console, ["race", "show", "nothing"], @r"
    $ agency race show nothing
    error [E_RUN_NOT_FOUND]: no race matches 'nothing'
    hint: agency race ls lists all races
    [exit status: 3]
    ");
    sees!(console, ["race", "show", "-q", "--pick", "last"], @r"
    $ agency race show -q --pick last
    error [E_USAGE]: --pick needs a terminal
    hint: use --land, or agency land with the name of a run
    [exit status: 2]
    ");
    sees!(console, ["race", "ls"], @r"
    $ agency race ls
    RACE  REPOSITORY  BASE  VERIFY
    [race]  {world}/repos/project  [commit]  test -e new.txt
    ");
    sees!(console, ["race", "ls", "last"], @r"
    $ agency race ls last
    error: unexpected argument 'last' found

    Usage: agency race ls [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["race", "ls", "--wait"], @r"
    $ agency race ls --wait
    error: unexpected argument '--wait' found

    Usage: agency race ls [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}
