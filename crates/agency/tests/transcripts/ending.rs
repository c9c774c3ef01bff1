//! `rm`, `restore`, `import`.

use super::{Console, sees};

#[test]
fn rm_and_restore() {
    let console = Console::new();
    console.finish("quick", "fix");
    sees!(console, ["restore", "fix"], @r"
    $ agency restore fix
    error [E_NOTHING_SAVED]: no work of fix was saved
    hint: agency rm saves only work that was not committed
    [exit status: 3]
    ");
    sees!(console, ["rm", "--dry-run", "fix"], @r"
    $ agency rm --dry-run fix
    fix  would be removed (completed)
      remove the worktree {world}/agency/worktrees/[hash]/[run]
      1 file is not committed; it is saved first
      keep the branch agency/[run]
    ");
    sees!(console, ["rm", "fix"], @r"
    $ agency rm fix
    fix  removed (completed)
      the worktree is removed
      work that was not committed is saved as refs/agency/saved/[run]
      the branch agency/[run] stays
      bring refs/agency/saved/[run] back with: agency restore fix
    ");
    sees!(console, ["restore", "fix"], @r"
    $ agency restore fix
    agency/restored-[run] is at [commit]
      look  git -C {world}/repos/project log -p -1 agency/restored-[run]
    ");
    sees!(console, ["restore", "nothing"], @r"
    $ agency restore nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}

#[test]
fn rm_refuses() {
    let console = Console::new();
    console.start("waiting", "fix");
    sees!(console, ["rm", "fix"], @r"
    $ agency rm fix
    error [E_INVALID_STATE]: fix is running; stop it first (agency stop fix)
    hint: agency stop fix
    [exit status: 4]
    ");
    sees!(console, ["rm", "nothing"], @r"
    $ agency rm nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
    console.world.ok(&["stop", "fix"]);
}

#[test]
fn import() {
    let console = Console::new();
    sees!(console, ["import", "workmux"], @r"
    $ agency import workmux
    Nothing to import in {world}/repos/project.
    ");
    sees!(console, ["import", "claude-squad"], @r"
    $ agency import claude-squad
    error [E_IO]: {world}/home/.claude-squad/state.json: No such file or directory (os error 2)
    hint: agency import claude-squad --from PATH reads the state of claude-squad at another place
    [exit status: 1]
    ");
    sees!(console, ["import", "cobol"], @r"
    $ agency import cobol
    error: invalid value 'cobol' for '<PROGRAM>'
      [possible values: claude-squad, vibe-kanban, workmux]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}
