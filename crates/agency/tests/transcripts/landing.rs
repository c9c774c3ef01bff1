//! `land` and `trust`.

use super::{Console, sees};

#[test]
fn land() {
    let console = Console::new();
    console.finish("quick", "fix");
    sees!(console, ["land", "--dry-run", "--check", "test -e new.txt", "fix"], @r"
    $ agency land --dry-run --check test -e new.txt fix
    fix  would land on main (merge), 1 file
      1 file would be committed first
      would be checked by: test -e new.txt
      message: Do it
    ");
    sees!(console, ["land", "--check", "cat new.txt; exit 3", "fix"], @r"
    $ agency land --check cat new.txt; exit 3 fix
    fix: landing on main
      committed 1 file
      the checks execute code that the agent wrote; agency diff fix shows it
      check: cat new.txt; exit 3
        new
      the check failed with code 3
    error [E_CHECK_FAILED]: the check 'cat new.txt; exit 3' failed with code 3 on the merge of fix into main; its output is in {world}/agency/runs/[run]/land/check-1.log
    hint: see the output above; the target branch was not changed
    [exit status: 1]
    ");
    sees!(console, ["land", "--check", "test -e new.txt", "-m", "Add a file", "fix"], @r"
    $ agency land --check test -e new.txt -m Add a file fix
    fix: landing on main
      the checks execute code that the agent wrote; agency diff fix shows it
      check: test -e new.txt
      the check passed
    fix  landed on main as [commit] (merge)
      checked by: test -e new.txt
      updated {world}/repos/project
    ");
    sees!(console, ["land", "--rm", "fix"], @r"
    $ agency land --rm fix
    fix: landing on main
    fix  is on main already, as [commit]
      removed
      the worktree is removed
      the branch agency/[run] is deleted; it was at [commit]
    ");
    sees!(console, ["land", "fix"], @r"
    $ agency land fix
    error [E_INVALID_STATE]: fix was removed, and its worktree with it
    hint: agency restore fix brings back what was saved; agency show fix says whether it had landed
    [exit status: 4]
    ");
    console.finish("quick", "again");
    sees!(console, ["land", "again"], @r"
    $ agency land again
    again: landing on main
    error [E_NOT_READY]: again has changed nothing that could land on main
    hint: agency diff again shows what it changed
    [exit status: 4]
    ");
    console.repo.write("new.txt", "mine\n");
    sees!(console, ["land", "--into", "nowhere", "again"], @r"
    $ agency land --into nowhere again
    error [E_BAD_REF]: there is no branch 'nowhere' to merge into; make it with git branch, or name another one
    hint: git branch -a and git log show possible refs
    [exit status: 5]
    ");
}

#[test]
fn trust() {
    let console = Console::new();
    sees!(console, ["trust"], @r"
    $ agency trust
    error [E_INVALID_PATH]: {world}/repos/project has no .agency/project.toml and no .worktreeinclude
    hint: write the commands into it first: docs/land.md shows how, and so does agency help land
    [exit status: 5]
    ");
    console.repo.write(".agency/project.toml", "[land]\ncheck = [\"npm test\"]\n");
    sees!(console, ["trust"], @r"
    $ agency trust
    {world}/repos/project/.agency/project.toml proposes these commands:
      land.check: npm test
    error [E_NOT_TRUSTED]: {world}/repos/project/.agency/project.toml is not approved as it is now; its commands: npm test
    hint: agency trust --yes approves what is shown above; read it first
    [exit status: 8]
    ");
    sees!(console, ["trust", "--yes"], @r"
    $ agency trust --yes
    {world}/repos/project/.agency/project.toml proposes these commands:
      land.check: npm test
    approved: {world}/repos/project/.agency/project.toml
    ");
    sees!(console, ["trust"], @r"
    $ agency trust
    approved before: {world}/repos/project/.agency/project.toml
      land.check: npm test
    ");
    sees!(console, ["trust", "ls"], @r"
    $ agency trust ls
    {world}/repos/project  [commit]  [time]
      npm test
    ");
    sees!(console, ["trust", "ls", "--all"], @r"
    $ agency trust ls --all
    error: unexpected argument '--all' found

    Usage: agency trust ls [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["trust", "ls", "project"], @r"
    $ agency trust ls project
    error: unexpected argument 'project' found

    Usage: agency trust ls [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["trust", "revoke"], @r"
    $ agency trust revoke
    {world}/repos/project: approval withdrawn
    ");
    sees!(console, ["trust", "revoke", "--all"], @r"
    $ agency trust revoke --all
    error: unexpected argument '--all' found

    Usage: agency trust revoke [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["trust", "revoke", "project"], @r"
    $ agency trust revoke project
    error: unexpected argument 'project' found

    Usage: agency trust revoke [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}
