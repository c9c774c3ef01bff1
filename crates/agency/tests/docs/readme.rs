//! Every block of the README that begins with `` ```sh run `` is run, in their order, in one repository.
//!
//! A stand-in takes the place of each agent's program: it leaves a file that is not committed, sleeps when it is asked to
//! rewrite something, and asks before it upgrades something. The question that is open then stands for the one that the
//! README names. Everything else is real.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use agency_testkit::{World, wait_for};

use super::markdown::{blocks, read};
use super::program::world;

const STAND_IN: &str = r#"
case "$*" in
--version) echo 1.0.0; exit ;;
*Rewrite*) exec sleep 60 ;;
*--permission-prompt-tool*)
    read -r prompt
    echo '{"type":"system","subtype":"init","session_id":"one"}'
    case "$prompt" in *Upgrade*)
        echo '{"type":"control_request","request_id":"1","request":{"tool_name":"Bash","input":{"command":"make upgrade"}}}'
        while read -r line; do
            case "$line" in *control_response*) break ;; esac
            id=${line#*'"uuid":"'}
            echo '{"type":"command_lifecycle","command_uuid":"'"${id%%\"*}"'","state":"started"}'
        done ;;
    esac
    echo '{"type":"result","subtype":"success","result":"Done."}'
    exec cat > /dev/null ;;
esac
echo working
echo 'a change' >> notes.md
"#;

/// How long an agent may take to ask.
const LIMIT: Duration = Duration::from_secs(30);

/// The question that the README answers.
const QUESTION: &str = "q_01ABC";

#[test]
fn every_block_that_is_to_be_run_works_as_it_stands() {
    let world = world();
    let repo = world.repo("shop");
    for name in ["claude_code", "codex"] {
        world.agent(name, STAND_IN);
    }
    // The world's configuration, in the place where users have theirs.
    let directory = world.root().join("home/.config/agency");
    fs::create_dir_all(&directory).unwrap();
    symlink("../../config.toml", directory.join("config.toml")).unwrap();

    let program = Path::new(env!("CARGO_BIN_EXE_agency")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let runnable = blocks(&read("README.md"), "sh run");
    assert!(runnable.len() >= 9, "only {} blocks are to be run", runnable.len());
    for mut block in runnable {
        if block.contains(QUESTION) {
            block = block.replace(QUESTION, &open_question(&world));
        }
        let like = world.command(&[]);
        let environment = like.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let mut shell = Command::new("sh");
        shell.args(["-eu", "-c", &block]).env_clear().envs(environment);
        shell.env("PATH", &path).current_dir(&repo.path);
        let output = world.run(&mut shell);
        assert!(output.status.success(), "this block fails:\n{block}{output}");
    }
    assert_eq!(repo.git(&["show", "rescued:notes.md"]), "a change");
}

fn open_question(world: &World) -> String {
    wait_for("a question", LIMIT, || {
        let questions = world.json(&["inbox"])["data"]["questions"].take();
        questions[0]["id"].as_str().map(str::to_owned)
    })
}
