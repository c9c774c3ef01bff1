//! Codex: shell commands in a sandbox that lets them write nothing and reach nothing.

use super::{Limits, Secluded, words};
use crate::ask::servers;
use crate::create::CreateError;

impl Secluded<'_> {
    pub(super) fn codex(&self) -> Result<Limits, CreateError> {
        let mut args = match self.is_ask() {
            // Rules of the user's can let commands run outside of the sandbox.
            true => words(["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules"]),
            false => vec![],
        };
        args.extend(words([
            "--sandbox",
            "read-only",
            "-c",
            "web_search=\"disabled\"",
            "-c",
            "project_doc_max_bytes=0",
        ]));
        let servers = servers::of_codex(self.program, self.environment)?;
        if !servers.is_empty() {
            let off = servers.into_iter().map(|name| format!("{}={{enabled=false}}", toml::Value::String(name)));
            let setting = format!("mcp_servers={{{}}}", off.collect::<Vec<_>>().join(","));
            args.extend(words(["-c", &setting]));
        }
        if self.is_ask() {
            args.push("-".to_owned());
        }
        Ok(Limits { args, ..Limits::default() })
    }
}
