//! `inbox`, `answer`, `send`, `interrupt`.

use std::time::Duration;

use agency_testkit::wait_for;

use super::{Console, sees};

/// The id of the only open question.
fn question(console: &Console) -> String {
    wait_for("an open question", Duration::from_secs(30), || {
        let inbox = console.world.json(&["inbox"]);
        inbox["data"]["questions"][0]["id"].as_str().map(str::to_owned)
    })
}

#[test]
fn inbox() {
    let console = Console::new();
    sees!(console, ["inbox"], @r"
    $ agency inbox
    No open questions.
    ");
    console.start("asking", "fix");
    let id = question(&console);
    sees!(console, ["inbox"], @r"
    $ agency inbox
    [question]  permission  fix  [duration]
      Bash
      | touch file-1
      answer  agency answer [question] allow  # or deny, allow-all
    ");
    sees!(console, ["inbox", "show", &id], @r"
    $ agency inbox show [question]
    [question]  permission  fix  [duration]
      Bash
      | touch file-1
      answer  agency answer [question] allow  # or deny, allow-all
    ");
    sees!(console, ["inbox", "show", "q_nothing"], @r"
    $ agency inbox show q_nothing
    error [E_QUESTION_NOT_FOUND]: no question matches 'q_nothing'
    hint: agency inbox lists the open questions
    [exit status: 3]
    ");
    sees!(console, ["inbox", "--interactive"], @r"
    $ agency inbox --interactive
    error [E_USAGE]: --interactive needs a terminal
    hint: agency inbox lists the questions, and agency answer answers one
    [exit status: 2]
    ");
    console.world.ok(&["stop", "fix"]);
    sees!(console, ["inbox", "--sort"], @r"
    $ agency inbox --sort
    error: unexpected argument '--sort' found

    Usage: agency inbox [OPTIONS]
           agency inbox <COMMAND>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["inbox", "show"], @r"
    $ agency inbox show
    error: the following required arguments were not provided:
      <QUESTION>

    Usage: agency inbox show <QUESTION>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn answer() {
    let console = Console::new();
    console.start("asking", "fix");
    let id = question(&console);
    sees!(console, ["answer", &id, "perhaps"], @r"
    $ agency answer [question] perhaps
    error [E_INVALID_ANSWER]: 'perhaps' is not a valid answer to this question
    hint: choose allow, deny, allow-all, --text TEXT
    [exit status: 2]
    ");
    sees!(console, ["answer", &id, "allow"], @r"
    $ agency answer [question] allow
    [question]: allow, sent by the agent's protocol
    ");
    sees!(console, ["answer", &id, "deny"], @r"
    $ agency answer [question] deny
    error [E_ALREADY_ANSWERED]: [question] was answered by ada at [time]
    hint: agency inbox show [question] shows the answer
    [exit status: 4]
    ");
    sees!(console, ["answer", "q_nothing", "allow"], @r"
    $ agency answer q_nothing allow
    error [E_QUESTION_NOT_FOUND]: no question matches 'q_nothing'
    hint: agency inbox lists the open questions
    [exit status: 3]
    ");
}

#[test]
fn send() {
    let console = Console::new();
    console.start("chatty", "fix");
    sees!(console, ["send", "fix", "Use the other parser"], @r"
    $ agency send fix Use the other parser
    fix: sent by the agent's protocol
    ");
    console.world.ok(&["stop", "fix"]);
    sees!(console, ["send", "fix", "Use the other parser"], @r"
    $ agency send fix Use the other parser
    error [E_INVALID_STATE]: fix is killed; only a running agent can receive messages
    hint: agency resume fix continues the conversation of a finished run
    [exit status: 4]
    ");
    sees!(console, ["send", "nothing", "Use the other parser"], @r"
    $ agency send nothing Use the other parser
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}

#[test]
fn interrupt() {
    let console = Console::new();
    console.world.agent("interruptible", agency_testkit::conversation::interruptible());
    console.start("interruptible", "fix");
    sees!(console, ["interrupt", "fix"], @r"
    $ agency interrupt fix
    fix: sent by the agent's protocol
    ");
    console.world.ok(&["stop", "fix"]);
    sees!(console, ["interrupt", "fix"], @r"
    $ agency interrupt fix
    error [E_INVALID_STATE]: fix is killed; only a running agent can receive messages
    hint: agency resume fix continues the conversation of a finished run
    [exit status: 4]
    ");
    sees!(console, ["interrupt", "nothing"], @r"
    $ agency interrupt nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}
