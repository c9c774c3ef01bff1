// The surroundings of the examples: a place of its own, a repository, a small agent, and a run of it.

use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_engine::config::{Config, Environment};
use agency_engine::runs::create::RunRequest;
use agency_engine::store::RunRow;
use agency_model::run::State;
use agency_model::{Host, Mode};

/// Says something, asks whether it may test, tests, and returns how it went; in Claude Code's protocol.
const ASKING: &str = r#"
prompt = "protocol"
stream = "claude"
args = ["-c", '''
read -r prompt
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"I should test this."}]}}'
echo '{"type":"control_request","request_id":"1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"cargo test"}}}'
read -r answer
case $answer in *allow*) touch tested ;; *) exit 1 ;; esac
echo '{"type":"result","subtype":"success","is_error":false,"result":"It works."}'
while read -r line; do :; done
''']
"#;

/// Prints two lines.
const PLAIN: &str = r#"args = ["-c", "echo one; echo two"]"#;

/// Waits until it is stopped.
const WAITING: &str = r#"args = ["-c", "echo ready; exec sleep 600"]"#;

/// Starts a run of that agent, in a place that goes with the last value.
fn start(agent: &str) -> Result<(Agency, RunRow, tempfile::TempDir), Box<dyn std::error::Error>> {
    agency_engine::init();
    let place = tempfile::tempdir()?;
    let repo = agency_engine::scripted::sample::create(&place.path().join("repository"))?;
    let file = place.path().join("config.toml");
    std::fs::write(&file, format!("[agents.small]\ncommand = \"sh\"\n{agent}"))?;
    let config = Config::load(Some(&file), &Environment::default())?;
    let mut agency = Agency::builder().home(place.path().join("agency")).config(config).build()?;
    let request = RunRequest::new(&repo.path, "small").prompt("Test it").mode(Mode::Headless).host(Host::Detached);
    let plan = agency.plan(request)?;
    let run = agency.create(&plan, &AtomicBool::new(false))?;
    Ok((agency, run, place))
}
