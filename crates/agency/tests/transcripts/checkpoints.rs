//! `checkpoint ls`, `show`, `diff`, `restore`.

use super::{Console, sees};

/// A run with one checkpoint.
fn with_checkpoint() -> Console {
    let console = Console::new();
    console.finish("quick", "fix");
    console
}

#[test]
fn ls() {
    let console = with_checkpoint();
    sees!(console, ["checkpoint", "ls", "fix"], @r"
    $ agency checkpoint ls fix
    NUMBER  TAKEN  AT  FILES  LINES  COMMIT
    1  [duration]  end of the run  1  +1 -0  [commit]
    ");
    sees!(console, ["checkpoint", "ls", "nothing"], @r"
    $ agency checkpoint ls nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
    sees!(console, ["checkpoint", "ls"], @r"
    $ agency checkpoint ls
    error: the following required arguments were not provided:
      <RUN>

    Usage: agency checkpoint ls <RUN>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn show() {
    let console = with_checkpoint();
    sees!(console, ["checkpoint", "show", "fix"], @r"
    $ agency checkpoint show fix
    checkpoint  1, end of the run
    taken  [time] ([duration])
    commit  [commit]
    checked out  [commit]
    asked  Do it
    changed  1 file, +1 -0
                  new.txt (added, +1 -0)
    ");
    sees!(console, ["checkpoint", "show", "fix", "9"], @r"
    $ agency checkpoint show fix 9
    error [E_CHECKPOINT_NOT_FOUND]: there is no checkpoint 9; the last one is 1
    hint: agency checkpoint ls lists the checkpoints of a run
    [exit status: 3]
    ");
    sees!(console, ["checkpoint", "show", "nothing"], @r"
    $ agency checkpoint show nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}

#[test]
fn diff() {
    let console = with_checkpoint();
    sees!(console, ["checkpoint", "diff", "fix"], @r"
    $ agency checkpoint diff fix
    diff --git a/new.txt b/new.txt
    new file mode 100644
    index 0000000..3e75765
    --- /dev/null
    +++ b/new.txt
    @@ -0,0 +1 @@
    +new
    ");
    sees!(console, ["checkpoint", "diff", "fix", "9"], @r"
    $ agency checkpoint diff fix 9
    error [E_CHECKPOINT_NOT_FOUND]: there is no checkpoint 9; the last one is 1
    hint: agency checkpoint ls lists the checkpoints of a run
    [exit status: 3]
    ");
    sees!(console, ["checkpoint", "diff", "nothing"], @r"
    $ agency checkpoint diff nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}

#[test]
fn restore() {
    let console = with_checkpoint();
    sees!(console, ["checkpoint", "restore", "fix", "0"], @r"
    $ agency checkpoint restore fix 0
    fix: 1 file restored to checkpoint 0
      undo  agency checkpoint restore fix 1
    ");
    sees!(console, ["checkpoint", "restore", "fix", "9"], @r"
    $ agency checkpoint restore fix 9
    error [E_CHECKPOINT_NOT_FOUND]: there is no checkpoint 9; the last one is 2
    hint: agency checkpoint ls lists the checkpoints of a run
    [exit status: 3]
    ");
    console.world.ok(&["rm", "fix"]);
    sees!(console, ["checkpoint", "restore", "fix", "1"], @r"
    $ agency checkpoint restore fix 1
    error [E_INVALID_STATE]: fix was removed, and its worktree with it
    hint: agency restore fix brings back what was saved
    [exit status: 4]
    ");
}
