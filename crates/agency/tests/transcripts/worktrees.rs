//! `worktree`, `shell`, `cd` and `open`.

use super::{Console, sees};

#[test]
fn worktree_plan() {
    let console = Console::new();
    sees!(console, ["worktree", "plan"], @r"
    $ agency worktree plan
    {world}/repos/project has no .agency/project.toml and no .worktreeinclude
    ");
    console.repo.write(".gitignore", ".env\nnode_modules/\n");
    console.repo.write(".env", "secret");
    console.repo.write("node_modules/x", "");
    let text = "[worktree]\ncopy = [\".env\", \".env.local\"]\nlink = [\"node_modules\"]\nsetup = [\"npm ci\"]\n\
                teardown = [\"npm stop\"]\nports = { web = 3000 }\n";
    console.repo.write(".agency/project.toml", text);
    sees!(console, ["worktree", "plan"], @r"
    $ agency worktree plan
    {world}/repos/project/.agency/project.toml (not approved; agency trust approves it)
      copy  .env (6 bytes)
      link  node_modules -> {world}/repos/project/node_modules
      setup  npm ci
      teardown  npm stop
      port  web in AGENCY_PORT_WEB (yours is 3000)
      warning  copy: no file in the checkout fits .env.local
    ");
    sees!(console, ["run", "--mode", "headless", "Do it"], @r"
    $ agency run --mode headless Do it
    error [E_NOT_TRUSTED]: {world}/repos/project/.agency/project.toml is not approved as it is now; its commands: npm ci; npm stop; its files: .env; .env.local; node_modules
    hint: agency trust shows what it proposes and approves it; --no-setup starts without it
    [exit status: 8]
    ");
    console.repo.write(".agency/project.toml", "[worktree]\ncopy = [\"../.env\"]\n");
    sees!(console, ["worktree", "plan"], @r#"
    $ agency worktree plan
    error [E_INVALID_CONFIG]: {world}/repos/project/.agency/project.toml:2:9: `worktree.copy[0]`: expected a path inside the repository, without `..` and outside of `.git`, found "../.env"
    hint: agency help worktrees and agency help land describe the project file
    [exit status: 2]
    "#);
    sees!(console, ["worktree", "plan", "--repo", "/nowhere"], @r"
    $ agency worktree plan --repo /nowhere
    error [E_NOT_GIT_REPO]: '/nowhere' does not exist
    hint: go to a git repository, or name one with --repo
    [exit status: 5]
    ");
}

#[test]
fn setup_that_fails() {
    let console = Console::new();
    console.repo.write(".agency/project.toml", "[worktree]\nsetup = [\"exit 7\"]\n");
    console.world.ok(&["trust", "--yes", "--repo", console.repo.path.to_str().unwrap()]);
    sees!(console, ["-q", "run", "--mode", "headless", "--wait", "--name", "fix", "Do it"], @r"
    $ agency -q run --mode headless --wait --name fix Do it
    fix is failed (E_SETUP_FAILED: setup: exit 7 failed with code 7; its output is in {world}/agency/runs/[run]/setup.log)
    [exit status: 1]
    ");
}

#[test]
fn shell() {
    let console = Console::new();
    console.finish("quick", "fix");
    sees!(console, ["shell", "fix", "--", "cat", "new.txt"], @r"
    $ agency shell fix -- cat new.txt
    new
    ");
    sees!(console, ["shell", "nothing"], @r"
    $ agency shell nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
    sees!(console, ["shell", "fix", "--", "no-such-program"], @r"
    $ agency shell fix -- no-such-program
    error [E_IO]: no-such-program could not be started: No such file or directory (os error 2)
    hint: set $SHELL to an installed shell, or name an installed program
    [exit status: 1]
    ");
}

#[test]
fn cd() {
    let console = Console::new();
    console.finish("quick", "fix");
    sees!(console, ["cd", "fix"], @r"
    $ agency cd fix
    {world}/agency/worktrees/[hash]/[run]
    ");
    sees!(console, ["cd", "nothing"], @r"
    $ agency cd nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
    console.world.ok(&["rm", "fix"]);
    sees!(console, ["cd", "fix"], @r"
    $ agency cd fix
    error [E_INVALID_STATE]: the directory of fix does not exist any more: {world}/agency/worktrees/[hash]/[run]
    hint: agency restore brings back the work of a run that was removed
    [exit status: 4]
    ");
}

#[test]
fn open() {
    let console = Console::new();
    console.finish("quick", "fix");
    sees!(console, ["open", "fix", "--editor", "ls"], @r"
    $ agency open fix --editor ls
    README.md
    new.txt
    src
    ");
    sees!(console, ["open", "nothing"], @r"
    $ agency open nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
    sees!(console, ["open", "fix", "--editor", "no-such-editor"], @r"
    $ agency open fix --editor no-such-editor
    error [E_IO]: no-such-editor could not be started: No such file or directory (os error 2)
    hint: name an installed editor with --editor, or set $EDITOR to one
    [exit status: 1]
    ");
}
