//! Diagnostics: what is recorded, where, and what never is.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

use agency_testkit::{Run, World, agent, conversation, wait_for};

use super::world;

const LIMIT: Duration = Duration::from_secs(30);
const DETACHED: [&str; 4] = ["--host", "detached", "--mode", "headless"];

/// The log of a supervisor that has exited.
fn whole_log(run: &Run) -> String {
    wait_for("the end of the supervisor's log", LIMIT, || {
        let log = fs::read_to_string(run.file("supervisor.log")).ok()?;
        log.contains("supervisor exits").then_some(log)
    })
}

/// Configures a program that does something to the log of a run before it becomes its supervisor.
fn prepare_log(world: &World, script: &str) {
    let script =
        format!("log=\"$AGENCY_HOME/runs/$1/supervisor.log\"\n{script}\nexec \"$AGENCY_BIN\" supervise \"$1\"");
    let path = world.agent("wrapper", script);
    world.set("wrapper", &format!("{:?}", path.display().to_string()));
}

#[test]
fn nothing_is_printed_unless_it_is_asked_for() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let run = world.begin(&repo, "quiet", &DETACHED);
    world.ended(&run);
    for command in [&["ls", "--all"][..], &["show", &run.id], &["events", &run.id], &["reconcile"], &["rm", &run.id]] {
        let output = world.ok(command);
        assert!(!format!("{}{}", output.stdout, output.stderr).contains("agency_engine"), "{command:?}: {output}");
    }
    assert!(!world.agency_home().join("diagnostics.log").exists());
}

#[test]
fn verbose_prints_to_standard_error_and_json_stays_one_object() {
    let world = world();
    let once = world.ok(&["-v", "--json", "ls"]);
    assert_eq!(once.object()["ok"], true);
    assert_eq!(once.stdout.lines().count(), 1, "{once}");
    assert!(once.stderr.contains("DEBUG agency::cli: command started"), "{once}");
    assert!(once.stderr.contains("command=\"ls\""), "{once}");
    assert!(once.stderr.contains("agency_engine::store::open: database opened"), "{once}");
    assert!(!once.stderr.contains('\u{1b}'), "{once}");
    // The option is global, and an error is still an error.
    let failed = world.agency(&["show", "nothing", "--json", "--verbose"]);
    assert_eq!(failed.object()["error"]["code"], "E_RUN_NOT_FOUND");
    assert!(failed.stderr.contains("command failed code=\"E_RUN_NOT_FOUND\""), "{failed}");
}

#[test]
fn the_variable_filters_and_a_filter_that_is_not_valid_is_refused() {
    let world = world();
    let with = |directives: &str| world.run(world.command(&["--json", "ls"]).env("AGENCY_LOG", directives));
    let all = with("debug");
    assert!(all.stderr.contains("agency::cli") && all.stderr.contains("agency_engine::store"), "{all}");
    let store = with("agency_engine::store=trace");
    assert!(!store.stderr.contains("agency::cli") && store.stderr.contains("agency_engine::store"), "{store}");
    for silent in ["", "off", "error"] {
        assert_eq!(with(silent).stderr, "", "{silent:?}");
    }
    let refused = with("loud");
    assert_eq!(refused.object()["error"]["code"], "E_USAGE");
    assert_eq!(refused.object()["error"]["message"], "'loud' in AGENCY_LOG is not a filter");
}

#[test]
fn each_supervisor_has_a_private_log_with_its_start_and_its_exit() {
    for host in ["detached", "tmux"] {
        let mut world = world();
        let repo = world.repo("project");
        world.agent("failing", agent::failing(3));
        let options = ["--host", host, "--mode", "headless"];
        let run = world.begin(&repo, "failing", &options);
        world.ended(&run);
        let log = whole_log(&run);
        let mode = run.file("supervisor.log").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        for line in
            ["supervisor started", "agent started", "agent exited attempt=1 exit_code=3", "end recorded state=failed"]
        {
            assert!(log.contains(line), "{line}: {log}");
        }
        assert!(log.lines().next().unwrap().contains(&format!("run={}", run.id)), "{log}");
        assert!(!log.contains("DEBUG"), "{log}");
        // The variable of the command holds for the supervisor, also in a tmux server that is older.
        world.set_variable("AGENCY_LOG", "trace");
        let run = world.begin(&repo, "failing", &options);
        world.ended(&run);
        let log = whole_log(&run);
        assert!(log.contains("DEBUG agency_engine::supervise::startup: orders received"), "{log}");
        world.set_variable("AGENCY_LOG", "off");
        let run = world.begin(&repo, "failing", &options);
        world.ended(&run);
        run.wait_until_unsupervised();
        assert_eq!(fs::read_to_string(run.file("supervisor.log")).unwrap_or_default(), "");
    }
}

#[test]
fn no_secret_is_in_any_log_at_the_lowest_level() {
    let mut world = world();
    let repo = world.repo("project");
    world.agent("asking", conversation::asking(1));
    world.set_variable("AGENCY_LOG", "trace");
    let secrets =
        ["hunter2-of-the-environment", "hunter2-of-the-prompt", "hunter2-of-the-answer", "hunter2-of-the-source"];
    let words = ["run", "--json", "--repo", repo.path.to_str().unwrap(), "--runner", "asking", "--prompt", secrets[1]];
    let started = world.run(world.command(&[&words[..], &DETACHED].concat()).env("API_TOKEN", secrets[0]));
    let run = world.run_with_id(started.object()["data"]["id"].as_str().unwrap());
    let question = wait_for("the question", LIMIT, || {
        let inbox = world.json(&["inbox"]);
        inbox["data"]["questions"][0]["id"].as_str().map(str::to_owned)
    });
    let answered = world.ok(&["answer", &question, "deny", "--text", secrets[2]]);
    world.ended(&run);
    let url = format!("http://user:{}@127.0.0.1:1/none.git", secrets[3]);
    let added = world.agency(&["source", "add", "none", "--git", &url]);
    let log = whole_log(&run);
    for wanted in [&started.stderr, &answered.stderr, &added.stderr] {
        assert!(wanted.contains("DEBUG"), "{wanted}");
    }
    assert!(log.contains(&format!("question stored run={} question={question}", run.id)), "{log}");
    assert!(log.contains(&format!("question settled question={question} state=\"delivered\"")), "{log}");
    assert!(log.contains("effect of the conversation effect=SendAnswer"), "{log}");
    assert!(started.stderr.contains("git command command=\"worktree\""), "{started}");
    assert!(added.stderr.contains("git command command=\"fetch\""), "{added}");
    assert!(answered.stderr.contains(&format!("answer stored run={} question={question}", run.id)), "{answered}");
    for secret in secrets {
        for text in [&log, &started.stderr, &answered.stderr, &added.stderr] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
}

#[test]
fn the_agent_does_not_get_the_variable() {
    let mut world = world();
    let repo = world.repo("project");
    world.set_variable("AGENCY_LOG", "trace");
    world.agent("listing", "env");
    let run = world.begin(&repo, "listing", &DETACHED);
    world.ended(&run);
    let printed = String::from_utf8_lossy(&run.log("runner.stdout.log")).into_owned();
    assert!(printed.contains("AGENCY_RUN_ID=") && !printed.contains("AGENCY_LOG"), "{printed}");
}

#[test]
fn a_log_that_cannot_be_written_or_is_full_harms_no_run() {
    for (script, older) in [
        ("rm -f \"$log\"; mkdir \"$log\"", false),
        ("rm -f \"$log\"; ln -s /dev/full \"$log\"", false),
        ("head -c 1100000 /dev/zero >\"$log\"", true),
    ] {
        let world = world();
        let repo = world.repo("project");
        world.agent("quiet", agent::quiet());
        prepare_log(&world, script);
        let run = world.begin(&repo, "quiet", &DETACHED);
        let ended = world.ended(&run);
        assert_eq!(ended["state"], "completed", "{script}: {ended:#}");
        assert_eq!(run.file("supervisor.log.1").is_file(), older, "{script}");
        if older {
            assert!(whole_log(&run).contains("supervisor started"));
        }
        world.ok(&["rm", &run.id]);
    }
}

#[test]
fn doctor_and_why_name_the_log_of_a_supervisor_that_died() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = world.begin(&repo, "waiting", &DETACHED);
    run.wait_for_output("ready");
    run.kill_supervisor();
    run.wait_until_unsupervised();
    let log = run.file("supervisor.log").display().to_string();
    let examined = world.agency(&["doctor"]);
    assert!(examined.stdout.contains("diagnostics: each supervisor writes supervisor.log"), "{examined}");
    assert!(examined.stdout.contains(&format!("its log is {log}")), "{examined}");
    let why = world.ok(&["why", &run.id]);
    assert!(why.stdout.contains(&format!("its supervisor's log: {log}")), "{why}");
    world.ok(&["reconcile"]);
}

#[test]
fn a_command_that_needs_its_streams_writes_diagnostics_to_a_file() {
    let world = world();
    world.ok(&["ls"]);
    let file = world.agency_home().join("diagnostics.log");
    let served = world.run(world.command(&["-vv", "mcp"]).stdin(Stdio::null()));
    assert_eq!((served.stdout.as_str(), served.stderr.as_str()), ("", ""));
    let log = fs::read_to_string(&file).unwrap();
    assert!(log.contains("command started") && log.contains("command=\"mcp\""), "{log}");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    // The same for the TUI, which draws on the whole terminal.
    let terminal = world.terminal(&["-vv"]);
    wait_for("the diagnostics of the TUI", LIMIT, || {
        fs::read_to_string(&file).unwrap().contains("agency_engine::store::open: database opened").then_some(())
    });
    let screen = terminal.wait_for_text("agency");
    assert!(!screen.contains("DEBUG"), "{screen}");
    terminal.send_keys(&["q"]);
    terminal.wait_for_exit();
}
