use super::{World, with_json};
use crate::agent::{daemonizing, failing, noisy, quiet, rubbish, stubborn, waiting};
use crate::{Agent, Output, Process, leftovers, wait_for};
use agency_model::ErrorCode;
use rustix::process::Signal;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(20);

/// A world whose program is a script.
fn world(script: impl Into<Agent>) -> World {
    let mut world = World::new("/nonexistent");
    world.binary = world.agent("program", script);
    world
}

fn ready(process: &Process) {
    wait_for("an agent that is ready", SOON, || process.stdout().contains("ready\n").then_some(()));
}

fn ran(agent: Agent) -> Output {
    world(agent).agency(&[])
}

#[test]
fn a_process_sees_the_world_and_nothing_else() {
    let world = world("env | sort; pwd");
    let root = world.root().display().to_string();
    let seen = world.ok(&[]).stdout.replace(&root, "ROOT");
    let names: Vec<_> = seen.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    assert_eq!(
        names.join(" "),
        "AGENCY_CONFIG AGENCY_HOME GIT_AUTHOR_EMAIL GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_NAME \
         GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM HOME LANG PATH PWD TERM TMPDIR USER"
    );
    for expected in ["AGENCY_HOME=ROOT/agency", "HOME=ROOT/home", "TMPDIR=ROOT/tmp", "ROOT/home"] {
        assert!(seen.lines().any(|line| line == expected), "{expected} is not in:\n{seen}");
    }
}

#[test]
fn the_configuration_names_the_private_socket_and_the_agents() {
    let world = World::new("/nonexistent");
    world.agent("calm", quiet().prompt("stdin"));
    let root = world.root().display().to_string();
    assert!(world.socket().as_os_str().len() < 100);
    let config = fs::read_to_string(world.root().join("home/config.toml")).unwrap().replace(&root, "ROOT");
    assert_eq!(
        config,
        "[tmux]\nsocket = \"ROOT/tmux\"\n\n[agents.calm]\ncommand = \"ROOT/agents/calm\"\nprompt = \"stdin\"\n"
    );
}

#[test]
fn a_repository_has_one_commit_on_main() {
    let world = World::new("/nonexistent");
    let repo = world.repo("sample");
    assert_eq!(repo.git(&["log", "--format=%an %s"]), "Test Add .gitignore");
    assert_eq!(repo.git(&["ls-files"]), ".gitignore\nREADME.md\nsrc/lib.rs");
    let second = repo.commit_file("docs/notes.md", "text\n");
    assert_eq!(repo.git(&["rev-parse", "main"]), second);
    let tree = world.root().join("tree");
    repo.git(&["worktree", "add", "--quiet", "-b", "side", tree.to_str().unwrap()]);
    assert_eq!(repo.branches(), ["main", "side"]);
    assert_eq!(repo.worktrees(), [repo.path.clone(), tree]);
}

#[test]
fn agents_end_as_they_are_named() {
    assert_eq!(ran(quiet()).status.code(), Some(0));
    assert_eq!(ran(failing(7)).status.code(), Some(7));
    assert_eq!(ran(noisy(100_001)).stdout.len(), 100_001);
    let rubbish = ran(rubbish()).stdout;
    assert!(rubbish.contains("nul \0 here\n") && rubbish.contains("broken \u{fffd}"), "{rubbish:?}");
}

#[test]
fn a_stubborn_agent_ignores_polite_signals() {
    let world = world(stubborn());
    let process = world.spawn(&[]);
    ready(&process);
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap();
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        assert_ne!(ignored & (1 << (signal.as_raw() - 1)), 0, "{signal:?}");
    }
}

#[test]
fn a_waiting_agent_ends_when_it_is_released() {
    let world = world(waiting());
    let process = world.spawn(&[]);
    ready(&process);
    world.release("program");
    assert_eq!(process.wait().stdout, "ready\nreleased\n");
}

#[test]
fn a_daemon_outlives_its_agent_but_not_its_world() {
    let world = world(daemonizing());
    let home = world.agency_home();
    let known = world.spawn(&[]).wait_within(Duration::from_secs(2)).unwrap_err();
    assert!(known.contains("exit status: 0") && known.contains("daemon "), "{known}");
    assert_eq!(leftovers::find(&home).len(), 1);
    drop(world);
    assert_eq!(leftovers::find(&home), []);
    assert!(!home.exists());
}

#[test]
fn answers_are_checked() {
    let program = r#"case "$1" in
        good) echo '{"ok":true,"asked":"'"$*"'"}' ;;
        bad) echo '{"ok":false,"error":{"code":"E_USAGE","message":"no"}}'; exit 2 ;;
        liar) echo '{"ok":true}'; exit 1 ;;
    esac"#;
    let world = world(program);
    assert_eq!(world.json(&["good", "--", "x"])["asked"], "good --json -- x");
    assert_eq!(world.error(&["bad"], ErrorCode::Usage)["message"], "no");
    for (wrong, code) in [("good", ErrorCode::Usage), ("bad", ErrorCode::Io), ("liar", ErrorCode::Usage)] {
        catch_unwind(AssertUnwindSafe(|| world.error(&[wrong], code))).unwrap_err();
    }
    catch_unwind(AssertUnwindSafe(|| world.ok(&["bad"]))).unwrap_err();
    assert_eq!(with_json(&["ls"]), ["ls", "--json"]);
}

#[test]
fn a_terminal_is_typed_on_and_read() {
    let world = World::new("/nonexistent");
    let script = r#"echo "tmux=$TMUX home=$AGENCY_HOME"; test -t 0 && read -r line; echo "got [$line]"; exit 5"#;
    let terminal = world.terminal_with(Command::new("sh").args(["-c", script]));
    let screen = terminal.wait_for_text("tmux= home=");
    assert!(screen.contains(world.agency_home().to_str().unwrap()), "{screen}");
    terminal.type_text("Enter; $x");
    terminal.send_keys(&["Enter"]);
    terminal.wait_for_text("got [Enter; $x]");
    assert_eq!(terminal.wait_for_exit(), 5);
}

#[test]
fn a_terminal_whose_command_ends_at_once_can_still_be_read() {
    let world = World::new("/nonexistent");
    let home = world.agency_home();
    let terminal = world.terminal_with(Command::new("echo").arg("over already"));
    terminal.wait_for_text("over already");
    assert_eq!(terminal.wait_for_exit(), 0);
    drop(world);
    assert_eq!(leftovers::find(&home), []);
}

#[test]
fn a_failing_test_reports_and_still_cleans_up() {
    let world = world("echo '{\"ok\":true}'");
    let root = world.root().to_owned();
    let run = world.agency_home().join("runs/1");
    fs::create_dir_all(&run).unwrap();
    fs::write(run.join("events.ndjson"), b"{\"seq\":1}\nbroken \xff\n").unwrap();
    let failure = catch_unwind(AssertUnwindSafe(move || {
        let _world = world;
        panic!("as a failing assertion would");
    }));
    failure.unwrap_err();
    assert!(!root.exists());
}
