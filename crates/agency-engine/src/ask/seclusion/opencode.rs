//! opencode: an agent of our own definition whose permissions are for reading the sources alone.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use serde_json::{Map, Value, json};

use super::{Limits, Secluded, SourcesBelow, words};
use crate::ask::servers;
use crate::create::CreateError;
use crate::workspace::{ScratchEntry, Workspace};

/// Where it works: a directory beside the sources, because to each file that it reads below its directory it adds the
/// `AGENTS.md` of the directories in between.
const DIRECTORY: &str = ".opencode-ask";
/// Neither plugins nor settings, instructions and skills of a directory.
const CLOSED: &[(&str, &str)] =
    &[("OPENCODE_PURE", "1"), ("OPENCODE_DISABLE_PROJECT_CONFIG", "1"), ("OPENCODE_DISABLE_EXTERNAL_SKILLS", "1")];

impl Secluded<'_> {
    pub(super) fn opencode(&self) -> Result<Limits, CreateError> {
        let mut environment = self.environment.clone();
        environment.extend(CLOSED.iter().map(|(name, value)| (name.into(), value.into())));
        let servers = servers::of_opencode(self.program, &environment)?;
        let given = environment.get(OsStr::new("OPENCODE_CONFIG_CONTENT")).and_then(|text| text.to_str());
        let mut config =
            given.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok()).unwrap_or_default();
        let known = config.entry("mcp").or_insert_with(|| json!({}));
        for name in servers {
            known[&name]["enabled"] = json!(false);
        }
        let mut limits = Limits::default();
        let mut permission = json!({ "edit": "ask", "bash": "ask", "external_directory": "allow" });
        if self.is_ask() {
            permission = self.reading();
            // The permissions of an agent come after all others, and no setting knows an agent of this name.
            let agent = self.unused_name();
            let agents = config.entry("agent").or_insert_with(|| json!({}));
            agents[&agent] = json!({ "mode": "primary", "permission": permission });
            let directory = self.subject.scratch.directory().join(DIRECTORY).display().to_string();
            limits.args = words(["run", "--format", "json", "--agent", &agent, "--dir", &directory]);
            limits.entries = vec![(DIRECTORY.to_owned(), ScratchEntry::Directory)];
            limits.sources_below = SourcesBelow::Parent;
        }
        limits.env = CLOSED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        limits.env.extend(BTreeMap::from([
            ("OPENCODE_CONFIG_CONTENT".to_owned(), Value::Object(config).to_string()),
            ("OPENCODE_PERMISSION".to_owned(), permission.to_string()),
        ]));
        Ok(limits)
    }

    /// Of several rules that fit, the last one decides.
    fn reading(&self) -> Value {
        let mut outside = Map::from_iter([("*".to_owned(), json!("deny"))]);
        // A pattern cannot say that a star is a star.
        let paths = self.directories().map(|path| path.display().to_string());
        outside
            .extend(paths.filter(|path| !path.contains(['*', '?'])).map(|path| (format!("{path}/*"), json!("allow"))));
        json!({
            "*": "deny",
            "edit": "deny", "bash": "deny", "webfetch": "deny", "websearch": "deny", "task": "deny",
            "read": "allow", "grep": "allow", "glob": "allow", "list": "allow", "external_directory": outside,
        })
    }
}
