// The surroundings of the examples in `watcher.rs`: a place of its own, a repository, a small agent, and a run of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_engine::config::{Config, Environment};
use agency_engine::runs::create::RunRequest;
use agency_engine::home::Home;
use agency_engine::store::RunRow;
use agency_model::spec::{RunnerDraft, SpecDraft};
use agency_model::{Host, Mode, RunKind};

/// Says something, asks whether it may test, tests, and says how it went; in Claude Code's protocol.
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

/// Starts a run of that agent, in a place that goes with the last value.
fn start(agent: &str) -> Result<(Agency, RunRow, tempfile::TempDir), Box<dyn std::error::Error>> {
    agency_engine::init();
    let place = tempfile::tempdir()?;
    let repo = agency_engine::scripted::sample::create(&place.path().join("repository"))?;
    let file = place.path().join("config.toml");
    std::fs::write(&file, format!("[agents.small]\ncommand = \"sh\"\n{agent}"))?;
    let config = Config::load(Some(&file), &Environment::default())?;
    let mut agency = Agency::open(Home::new(place.path().join("agency")), config, std::env::current_exe()?)?;
    let flags = SpecDraft {
        repo: Some(repo.path.display().to_string()),
        runner: Some(RunnerDraft { kind: Some("small".to_owned()), args: None }),
        mode: Some(Mode::Headless),
        host: Some(Host::Detached),
        ..SpecDraft::default()
    };
    let environment: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    let plan = agency.plan(RunRequest {
        kind: RunKind::Run,
        spec_file: None,
        flags,
        prompt_text: Some("Test it".to_owned()),
        include_changes: false,
        current_directory: place.path().to_owned(),
        environment,
        may_wait: false,
        terminal: None,
        notify: false,
        workflow: None,
    })?;
    let run = agency.create(&plan, &AtomicBool::new(false))?;
    Ok((agency, run, place))
}
