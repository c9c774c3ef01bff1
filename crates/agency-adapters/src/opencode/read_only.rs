//! opencode: an agent of our own definition whose permissions are for reading the sources alone.

use std::ffi::OsStr;

use serde_json::{Map, Value, json};

use super::SETTINGS_VARIABLE;
use crate::read_only::{SourcesBelow, strings, unlisted};
use crate::{AdapterError, ReadOnlyEntry, ReadOnlyLaunch, ReadOnlyMode, ReadOnlyRequest, ServerListing, StreamFormat};

/// Where it works: a directory beside the sources, because to each file that it reads below its directory it adds the
/// `AGENTS.md` of the directories in between.
const DIRECTORY: &str = ".opencode-ask";
/// Neither plugins nor settings, instructions and skills of a directory.
const CLOSED: &[(&str, &str)] =
    &[("OPENCODE_PURE", "1"), ("OPENCODE_DISABLE_PROJECT_CONFIG", "1"), ("OPENCODE_DISABLE_EXTERNAL_SKILLS", "1")];

pub(super) const MODE: ReadOnlyMode =
    ReadOnlyMode { servers: Some(ServerListing { args: &["debug", "config"], env: CLOSED }), launch };

fn launch(request: &ReadOnlyRequest<'_>) -> Result<ReadOnlyLaunch, AdapterError> {
    let servers = servers(request)?;
    let given = request.environment.get(OsStr::new(SETTINGS_VARIABLE)).and_then(|text| text.to_str());
    let mut config = given.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok()).unwrap_or_default();
    let known = config.entry("mcp").or_insert_with(|| json!({}));
    for name in servers {
        known[&name]["enabled"] = json!(false);
    }
    let mut launch = ReadOnlyLaunch::new(StreamFormat::Opencode);
    let mut permission = json!({ "edit": "ask", "bash": "ask", "external_directory": "allow" });
    if request.one_question {
        permission = reading(request);
        // The permissions of an agent come after all others, and no setting knows an agent of this name.
        let agent = request.unused_name();
        let agents = config.entry("agent").or_insert_with(|| json!({}));
        agents[&agent] = json!({ "mode": "primary", "permission": permission });
        let directory = request.directory.join(DIRECTORY).display().to_string();
        launch.args = strings(["run", "--format", "json", "--agent", &agent, "--dir", &directory]);
        launch.entries = vec![(DIRECTORY.to_owned(), ReadOnlyEntry::Directory)];
        launch.sources_below = SourcesBelow::Parent;
    }
    launch.env = CLOSED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    launch.env.insert(SETTINGS_VARIABLE.to_owned(), Value::Object(config).to_string());
    launch.env.insert("OPENCODE_PERMISSION".to_owned(), permission.to_string());
    Ok(launch)
}

/// The MCP servers that opencode would start.
fn servers(request: &ReadOnlyRequest<'_>) -> Result<Vec<String>, AdapterError> {
    let names = request.listed_servers.and_then(Value::as_object).map(|config| {
        let servers = config.get("mcp").and_then(Value::as_object);
        servers.map(|servers| servers.keys().cloned().collect()).unwrap_or_default()
    });
    names.ok_or_else(|| unlisted("opencode", "opencode debug config"))
}

/// Of several rules that fit, the last one decides.
fn reading(request: &ReadOnlyRequest<'_>) -> Value {
    let mut outside = Map::from_iter([("*".to_owned(), json!("deny"))]);
    // A pattern cannot say that a star is a star.
    let paths = request.directories().map(|path| path.display().to_string());
    outside.extend(paths.filter(|path| !path.contains(['*', '?'])).map(|path| (format!("{path}/*"), json!("allow"))));
    json!({
        "*": "deny",
        "edit": "deny", "bash": "deny", "webfetch": "deny", "websearch": "deny", "task": "deny",
        "read": "allow", "grep": "allow", "glob": "allow", "list": "allow", "external_directory": outside,
    })
}
