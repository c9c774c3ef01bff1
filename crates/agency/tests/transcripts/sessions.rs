//! The commands of `workflow` that read or change a session.

use super::{Console, sees};

const APPROVAL: &str = "name: release\nsteps:\n  - { name: tests, type: script, command: echo tested }\n  - { name: ok, type: approval, message: Release? }\n";
const FAILING: &str = "name: check\nsteps:\n  - { name: tests, type: script, command: test -e \"$FLAG\" }\n";
const TASK: &str =
    "id: explore\nstages:\n  - id: first\n    tasks:\n      - { id: look, adapter: waiting, prompt: Look around }\n";

/// A console with one session, which is in a state.
fn session(workflow: &str, state: &str) -> Console {
    let mut console = Console::new();
    console.world.set_variable("FLAG", console.world.root().join("flag").to_str().unwrap());
    console.repo.write("workflow.yaml", workflow);
    console.repo.git(&["add", "."]);
    console.repo.git(&["commit", "-m", "workflow"]);
    console.enter(&["workflow", "run", "workflow.yaml", "--detach"]);
    console.wait_for_fact(&["workflow", "show", "last"], "/state", state);
    console
}

/// Replaces the states that follow a decision: the driver may have executed it already.
fn without_next_state() -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(release|explore)  (running|completed|blocked)\b", "$1  [state]");
    settings.add_filter(r"(?m)^ok  \w+  1  \[duration\].*$", "ok  [state]  1  [duration]");
    settings.add_filter(r"(?m)^first  \w+", "first  [state]");
    settings.add_filter(r"(?m)^  why .*\n", "");
    settings.bind_to_scope()
}

#[test]
fn ls() {
    let console = Console::new();
    sees!(console, ["workflow", "ls"], @r"
    $ agency workflow ls
    No sessions. Start one with agency workflow run FILE.
    ");
    sees!(console, ["workflow", "ls", "all"], @r"
    $ agency workflow ls all
    error: unexpected argument 'all' found

    Usage: agency workflow ls [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    console.world.set("max_agents", "many");
    sees!(console, ["workflow", "ls"], @r"
    $ agency workflow ls
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}

#[test]
fn show_and_logs() {
    let console = session(APPROVAL, "waiting");
    sees!(console, ["workflow", "ls"], @r"
    $ agency workflow ls
    SESSION  STATE  AGE  WORKFLOW  TASK
    [session]  waiting  [duration]  release
    ");
    sees!(console, ["workflow", "show", "last"], @r"
    $ agency workflow show last
    [session]  release  waiting
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      driver  [run]

    STEP  STATE  TIMES  TOOK  COST  RUN  WHAT
    tests  done  1  [duration]
    ok  waiting  1  [duration]
    ");
    sees!(console, ["workflow", "show", "nothing"], @r"
    $ agency workflow show nothing
    error [E_SESSION_NOT_FOUND]: no session matches 'nothing'
    hint: agency workflow ls lists all sessions
    [exit status: 3]
    ");
    sees!(console, ["workflow", "show", "last", "all"], @r"
    $ agency workflow show last all
    error: unexpected argument 'all' found

    Usage: agency workflow show [OPTIONS] [SESSION]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["workflow", "logs", "last"], @r"
    $ agency workflow logs last
    ==> tests (attempt 1)
    tested
    ");
    sees!(console, ["workflow", "logs", "last", "test"], @r"
    $ agency workflow logs last test
    error [E_STEP_NOT_FOUND]: the workflow has no step `test`; did you mean `tests`?
    hint: agency workflow show lists the steps of a session
    [exit status: 3]
    ");
    sees!(console, ["workflow", "logs", "nothing"], @r"
    $ agency workflow logs nothing
    error [E_SESSION_NOT_FOUND]: no session matches 'nothing'
    hint: agency workflow ls lists all sessions
    [exit status: 3]
    ");
    console.world.ok(&["workflow", "cancel", "last"]);
}

#[test]
fn approve() {
    let console = session(APPROVAL, "waiting");
    let _filter = without_next_state();
    sees!(console, ["workflow", "approve", "nothing"], @r"
    $ agency workflow approve nothing
    error [E_SESSION_NOT_FOUND]: no session matches 'nothing'
    hint: agency workflow ls lists all sessions
    [exit status: 3]
    ");
    sees!(console, ["workflow", "approve", "last"], @r"
    $ agency workflow approve last
    [session]  release  [state]
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      driver  [run]

    STEP  STATE  TIMES  TOOK  COST  RUN  WHAT
    tests  done  1  [duration]
    ok  [state]  1  [duration]
    ");
    console.wait_for_fact(&["workflow", "show", "last"], "/state", "completed");
    sees!(console, ["workflow", "approve", "last"], @r"
    $ agency workflow approve last
    error [E_INVALID_STATE]: session [session] is not waiting for an approval
    hint: agency workflow show [session] shows its state
    [exit status: 4]
    ");
}

#[test]
fn reject() {
    let console = session(APPROVAL, "waiting");
    let _filter = without_next_state();
    sees!(console, ["workflow", "reject", "nothing"], @r"
    $ agency workflow reject nothing
    error [E_SESSION_NOT_FOUND]: no session matches 'nothing'
    hint: agency workflow ls lists all sessions
    [exit status: 3]
    ");
    sees!(console, ["workflow", "reject", "last", "--message", "Too early"], @r"
    $ agency workflow reject last --message Too early
    [session]  release  [state]
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      driver  [run]

    STEP  STATE  TIMES  TOOK  COST  RUN  WHAT
    tests  done  1  [duration]
    ok  [state]  1  [duration]
    ");
    console.wait_for_fact(&["workflow", "show", "last"], "/state", "blocked");
    sees!(console, ["workflow", "reject", "last"], @r"
    $ agency workflow reject last
    error [E_INVALID_STATE]: session [session] is not waiting for an approval
    hint: agency workflow show [session] shows its state
    [exit status: 4]
    ");
}

#[test]
fn retry() {
    let console = session(FAILING, "blocked");
    std::fs::write(console.world.root().join("flag"), "").unwrap();
    sees!(console, ["workflow", "retry", "nothing"], @r"
    $ agency workflow retry nothing
    error [E_SESSION_NOT_FOUND]: no session matches 'nothing'
    hint: agency workflow ls lists all sessions
    [exit status: 3]
    ");
    sees!(console, ["workflow", "retry", "last"], @r"
    $ agency workflow retry last
    [time] tried again
    [time] tests: started
    [time] tests: done
    [time] the session is completed

    [session]  check  completed
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      driver  [run]

    STEP  STATE  TIMES  TOOK  COST  RUN  WHAT
    tests  done  2  [duration]
    ");
    sees!(console, ["workflow", "retry", "last"], @r"
    $ agency workflow retry last
    error [E_INVALID_STATE]: session [session] is completed: nothing in it failed, so there is nothing to try again; --from STEP does a step and all after it again
    hint: agency workflow show [session] shows its state
    [exit status: 4]
    ");
}

#[test]
fn resume() {
    let console = session(APPROVAL, "waiting");
    sees!(console, ["workflow", "resume", "last"], @r"
    $ agency workflow resume last
    error [E_INVALID_STATE]: session [session] is waiting: it is being driven; agency workflow show -f follows it
    hint: agency workflow show [session] shows its state
    [exit status: 4]
    ");
    let run = console.world.json(&["workflow", "show", "last"])["data"]["driver"].as_str().unwrap().to_owned();
    console.world.run_with_id(&run).kill_supervisor();
    console.wait_for_fact(&["workflow", "show", "last"], "/driven", false);
    sees!(console, ["workflow", "resume", "last", "--detach"], @r"
    $ agency workflow resume last --detach
    [session]  release  waiting
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      driver  [run]

    STEP  STATE  TIMES  TOOK  COST  RUN  WHAT
    tests  done  1  [duration]
    ok  waiting  1  [duration]
    ");
    sees!(console, ["workflow", "resume", "nothing"], @r"
    $ agency workflow resume nothing
    error [E_SESSION_NOT_FOUND]: no session matches 'nothing'
    hint: agency workflow ls lists all sessions
    [exit status: 3]
    ");
    console.world.ok(&["workflow", "cancel", "last"]);
}

#[test]
fn complete_task() {
    let console = session(TASK, "running");
    let _filter = without_next_state();
    console.wait_for_fact(&["workflow", "show", "last"], "/steps/1/state", "running");
    sees!(console, ["workflow", "complete-task", "last", "lok"], @r"
    $ agency workflow complete-task last lok
    error [E_STEP_NOT_FOUND]: the workflow has no step `lok`; did you mean `look`?
    hint: agency workflow show lists the steps of a session
    [exit status: 3]
    ");
    sees!(console, ["workflow", "complete-task", "last", "look"], @r"
    $ agency workflow complete-task last look
    [session]  explore  [state]
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      driver  [run]

    STEP  STATE  TIMES  TOOK  COST  RUN  WHAT
    first  [state]  1  [duration]
      look  done  1  [duration]  [run]  completed by hand
    ");
    console.wait_for_fact(&["workflow", "show", "last"], "/state", "completed");
    sees!(console, ["workflow", "complete-task", "last", "look"], @r"
    $ agency workflow complete-task last look
    error [E_INVALID_STATE]: `look` is done: only an interactive agent that is at work can be completed by hand
    hint: agency workflow show lists the steps
    [exit status: 4]
    ");
}

#[test]
fn cancel() {
    let console = session(APPROVAL, "waiting");
    sees!(console, ["workflow", "cancel", "nothing"], @r"
    $ agency workflow cancel nothing
    error [E_SESSION_NOT_FOUND]: no session matches 'nothing'
    hint: agency workflow ls lists all sessions
    [exit status: 3]
    ");
    sees!(console, ["workflow", "cancel", "last"], @r"
    $ agency workflow cancel last
    [session]  release  cancelled
      why  the session was cancelled
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      driver  [run]

    STEP  STATE  TIMES  TOOK  COST  RUN  WHAT
    tests  done  1  [duration]
    ok  failed  1  [duration]  the session was cancelled
    ");
    sees!(console, ["workflow", "cancel", "last"], @r"
    $ agency workflow cancel last
    error [E_INVALID_STATE]: session [session] is cancelled: only an unfinished session can be cancelled
    hint: agency workflow show [session] shows its state
    [exit status: 4]
    ");
}
