//! Agents do not answer in a roundabout way either: by another command, another configuration, or another tmux session.

use std::fs;

use agency_testkit::{Repo, Run, World, conversation, wait_for};
use serde_json::Value;

use super::fixture::{LIMIT, TALK, begin, events, open, shown, text, wait_for_question, world};

const AGENCY: &str = env!("CARGO_BIN_EXE_agency");

/// A run that waits for an answer, and an agent that does `attempt` and then waits. In the script, `$agency` is the program,
/// `$question` the question, `$target` its run and `$free` a configuration that allows agents to answer. What came of it is
/// in `attempt.json` and `attempt.code` of the agent's run directory, which is `$out`.
struct Attempt {
    world: World,
    asking: Run,
    question: String,
    agent: Run,
}

impl Attempt {
    fn begin(attempt: &str, options: &[&str]) -> Self {
        let (world, repo) = world(conversation::interruptible());
        let asking = begin(&world, &repo);
        let question = wait_for_question(&world, &asking);
        let agent = Self::start(&world, &repo, (&asking.id, &question), attempt, options);
        Self { world, asking, question, agent }
    }

    fn start(world: &World, repo: &Repo, (target, question): (&str, &str), attempt: &str, options: &[&str]) -> Run {
        let free = world.root().join("free.toml");
        let usual = fs::read_to_string(world.root().join("home/config.toml")).unwrap();
        fs::write(&free, format!("allow_self_answer = true\n{usual}")).unwrap();
        let script = format!(
            "agency='{AGENCY}'; question='{question}'; target='{target}'; free='{}'; tmux='tmux -S {}'\n\
             out=$AGENCY_RUN_DIR; export agency question target free out\n\
             try() {{ \"$@\" >\"$out/attempt.json\" 2>\"$out/attempt.err\"; echo $? >\"$out/attempt.code\"; }}\n\
             {attempt}\nuntil [ -e \"$0.release\" ]; do sleep 0.02; done",
            free.display(),
            world.socket().display()
        );
        world.agent("roundabout", script.as_str());
        world.begin(repo, "roundabout", options)
    }

    fn code(&self) -> String {
        let code = wait_for("the end of the agent's attempt", LIMIT, || {
            fs::read_to_string(self.agent.file("attempt.code")).ok().filter(|code| code.ends_with('\n'))
        });
        code.trim().to_owned()
    }

    fn said(&self) -> (String, Value) {
        let code = self.code();
        let answer = fs::read(self.agent.file("attempt.json")).unwrap();
        let answer = serde_json::from_slice(&answer).unwrap_or_else(|error| {
            let said = fs::read_to_string(self.agent.file("attempt.err")).unwrap_or_default();
            panic!("{error}: {} {said}", String::from_utf8_lossy(&answer));
        });
        (code, answer)
    }

    /// The attempt was refused, and a person can still answer.
    #[track_caller]
    fn assert_refused(self) -> Value {
        let (code, answer) = self.said();
        assert_eq!((code.as_str(), &answer["error"]["code"]), ("8", &Value::from("E_NOT_ALLOWED")), "{answer:#}");
        assert_eq!(open(&self.world, &self.asking).len(), 1, "the question still waits");
        assert_eq!(shown(&self.world, &self.question)["state"], "open");
        assert_eq!(self.world.json(&["answer", &self.question, "allow"])["ok"], true);
        self.world.release("roundabout");
        answer["error"].clone()
    }
}

// attach and interrupt do what an answer does
#[test]
fn an_agent_neither_attaches_to_a_run_nor_withdraws_its_question_by_an_interrupt() {
    for command in ["attach --json $target", "attach --direct --json $target", "interrupt --json $target"] {
        let attempt = Attempt::begin(&format!("try $agency {command}"), &TALK);
        let run = attempt.agent.id.clone();
        assert_eq!(attempt.assert_refused()["details"]["run_id"], run.as_str(), "{command}");
    }
}

#[test]
fn an_agent_is_not_shown_a_run_that_it_starts() {
    let words = "run --attach --repo . --runner agent --prompt x --host detached --mode headless";
    let attempt = Attempt::begin(&format!("try script -qec \"$agency {words}\" \"$out/typescript\" </dev/null"), &TALK);
    assert_eq!(attempt.code(), "8");
    assert_eq!(attempt.world.runs().len(), 2, "nothing was started");
    attempt.world.release("roundabout");
}

// an agent that started a run may interrupt it
#[test]
fn an_agent_interrupts_a_run_that_asks_nothing() {
    let (world, repo) = world(conversation::echoing());
    let busy = begin(&world, &repo);
    wait_for("the beginning of the turn", LIMIT, || (!events(&busy, "output").is_empty()).then_some(()));
    let agent = Attempt::start(&world, &repo, (&busy.id, ""), "try $agency interrupt --json $target", &TALK);
    let attempt = Attempt { world, asking: busy, question: String::new(), agent };
    let (code, answer) = attempt.said();
    assert_eq!((code.as_str(), &answer["ok"]), ("0", &Value::from(true)), "{answer:#}");
    attempt.world.release("roundabout");
}

// the configuration that frees an agent is not the agent's choice
#[test]
fn an_agent_does_not_choose_the_configuration_that_lets_it_answer() {
    for (before, option) in [
        ("", "--config \"$free\""),
        ("export AGENCY_CONFIG=\"$free\"", ""),
        ("unset AGENCY_CONFIG; export agency_CONFIG=\"$free\"", ""),
        (
            "unset AGENCY_CONFIG; mkdir -p \"$out/agency\"; cp \"$free\" \"$out/agency/config.toml\"; export XDG_CONFIG_HOME=\"$out\"",
            "",
        ),
    ] {
        let attempt = Attempt::begin(&format!("{before}\ntry $agency {option} answer $question allow --json"), &TALK);
        attempt.assert_refused();
    }
}

// nor does a run that the agent starts with such a configuration
#[test]
fn an_agent_does_not_start_a_run_that_may_answer() {
    let answer = "\"$agency\" --config \"$free\" answer \"$question\" allow --json";
    let script = format!(
        "cat >\"$out/helper\" <<'END'\n#!/bin/sh\n{answer} >\"$out/attempt.json\"; echo $? >\"$out/attempt.code\"\nEND\n\
         chmod +x \"$out/helper\"\nprintf '[agents.helper]\\ncommand = \"%s\"\\n' \"$out/helper\" >>\"$free\"\n\
         $agency --config \"$free\" run --repo . --runner helper --prompt x --host detached --mode headless --wait"
    );
    Attempt::begin(&script, &TALK).assert_refused();
}

// nor by the notification of a run that it starts, which a supervisor sends
#[test]
fn an_agent_does_not_answer_by_a_notification_of_a_run_that_it_starts() {
    let answer = "exec env -u AGENCY_RUN_ID \"$agency\" --config \"$free\" answer \"$question\" allow --json";
    let script = format!(
        "cat >\"$out/helper\" <<END\n#!/bin/sh\n({answer} >\"$out/attempt.json\"); echo \\$? >\"$out/attempt.code\"\nEND\n\
         chmod +x \"$out/helper\"\n\
         printf '[agents.short]\\ncommand = \"true\"\\n[notify]\\nalways = true\\ncommand = [\"%s\"]\\n' \"$out/helper\" >>\"$free\"\n\
         $agency --config \"$free\" run --repo . --runner short --prompt x --host detached --mode headless --wait"
    );
    for inherited in ["", "unset AGENCY_RUN_ID\n"] {
        Attempt::begin(&format!("{inherited}{script}"), &TALK).assert_refused();
    }
}

#[test]
fn the_setting_holds_for_runs_that_were_started_with_it_and_as_long_as_it_is_set() {
    let (world, repo) = world(conversation::interruptible());
    let asking = begin(&world, &repo);
    let question = wait_for_question(&world, &asking);
    world.set("allow_self_answer", "true");
    let waiting = "until [ -e \"$0.go\" ]; do sleep 0.02; done\ntry $agency answer $question allow --json";
    let agent = Attempt::start(&world, &repo, (&asking.id, &question), waiting, &TALK);
    let config = world.root().join("home/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(config, text.replace("allow_self_answer = true", "allow_self_answer = false")).unwrap();
    fs::write(world.root().join("agents/roundabout.go"), "").unwrap();
    Attempt { world, asking, question, agent }.assert_refused();
}

// sessions, windows and panes that an agent opens in the tmux server that agency uses
#[test]
fn an_agent_does_not_answer_from_a_tmux_session_that_it_opens() {
    let answer = "'\"$agency\" answer \"$question\" allow --json >\"$out/attempt.json\"; echo $? >\"$out/attempt.code\"; sleep 600'";
    let variables = "-e agency=\"$agency\" -e question=\"$question\" -e out=\"$out\"";
    let opened = [
        format!("env -u AGENCY_RUN_ID -u TMUX $tmux new-session -d -s mine {variables} {answer}"),
        format!("env -u AGENCY_RUN_ID $tmux new-session -d {variables} env -u TMUX sh -c {answer}"),
        format!("$tmux new-window -d -t \"=agency_$AGENCY_RUN_ID:\" {variables} {answer}"),
        format!("$tmux split-window -d -t \"=agency_$AGENCY_RUN_ID:\" {variables} {answer}"),
    ];
    for script in opened {
        Attempt::begin(&script, &["--host", "tmux", "--mode", "headless"]).assert_refused();
    }
}

// the user's own terminals in the same server are the user's
#[test]
fn a_user_answers_from_a_session_of_the_same_tmux_server() {
    let (world, repo) = world(conversation::asking(1));
    let run = world.begin(&repo, "agent", &["--host", "tmux", "--mode", "headless"]);
    let question = wait_for_question(&world, &run);
    assert_eq!(world.terminal(&["answer", &question, "allow"]).wait_for_exit(), 0);
    assert!(text(&shown(&world, &question)["answered_from"], "terminal").starts_with("/dev/pts/"));
    assert_eq!(world.ended(&run)["state"], "completed");
}
