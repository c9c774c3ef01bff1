//! Finds the MCP servers of a run: their programs, the values of their variables, and what is missing.
//!
//! The one rule: what is missing is reported and never keeps a run from starting; the agent may not need it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use agency_adapters::{McpRequest, ReadyServer};
use agency_model::spec::RunSpec;
use agency_model::{McpServers, McpTransport, parse_mcp_config};

use super::find_agent::{SearchPath, find_program};
use super::{CreateError, PathUse, Plan};
use crate::agent_files::{AgentSettings, mcp_settings};
use crate::config::AgentConfig;
use crate::home::RunDirectory;

/// The maximum size of a list of servers.
const MAX_LIST_BYTES: u64 = 1024 * 1024;

/// Reads a file of MCP servers in the common notation: an object with `mcpServers`.
pub fn read_mcp_config(path: &Path) -> Result<McpServers, CreateError> {
    let unusable = |why: String| CreateError::Path {
        what: PathUse::McpConfig,
        path: path.to_owned(),
        why,
        code: agency_model::ErrorCode::InvalidPath,
    };
    let size = path.metadata().map_err(|error| unusable(error.to_string()))?.len();
    if size > MAX_LIST_BYTES {
        return Err(unusable(format!("it is {size} bytes; a list of MCP servers has at most {MAX_LIST_BYTES}")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    parse_mcp_config(&name, &text).map_err(|mistakes| unusable(mistakes.to_string()))
}

/// Refuses servers that make no sense, and returns what is missing of the others.
pub(super) fn check(spec: &RunSpec, agent: &AgentConfig, place: &SearchPath<'_>) -> Result<Vec<String>, CreateError> {
    let mut notices = vec![];
    let repository = Path::new(&spec.repo);
    // A path that is relative is one of the repository, wherever the user stands.
    let place = SearchPath { current_directory: repository, environment: place.environment };
    for (name, server) in &spec.mcp_servers {
        let transport = server.transport(name).map_err(|mistake| CreateError::Value {
            field: "mcp_servers",
            message: mistake.to_string(),
            hint: "a server has a `command`, a `url` or the name of a preset: filesystem, puppeteer, github",
        })?;
        let missing = missing_of(&transport, repository, &place);
        notices.extend(missing.into_iter().map(|what| format!("the MCP server {name} may not work: {what}")));
    }
    if !spec.mcp_servers.is_empty() && !agent.takes_mcp_servers(spec.mode, spec.one_shot) {
        let names: Vec<&str> = spec.mcp_servers.keys().map(String::as_str).collect();
        notices.push(format!(
            "{} does not accept MCP servers from agency and starts without {}",
            spec.runner.kind,
            names.join(", ")
        ));
    }
    Ok(notices)
}

/// The servers of a planned run, ready to be passed on.
pub(super) fn request(plan: &Plan, workspace: &Path, run: &RunDirectory) -> McpRequest {
    if plan.spec.mcp_servers.is_empty() {
        return McpRequest::default();
    }
    let place = SearchPath { current_directory: plan.repository.root(), environment: &plan.environment };
    let named = plan.spec.mcp_servers.iter();
    let ready = named.filter_map(|(name, server)| {
        // It was checked when the run was planned.
        let transport = ready(server.transport(name).ok()?, workspace, &place);
        Some(ReadyServer { name: name.clone(), transport })
    });
    let mut environment = plan.environment.clone();
    environment.extend(plan.agent.env.iter().map(|(name, value)| (name.into(), value.into())));
    let AgentSettings { text: settings, beside: beside_settings } = mcp_settings(plan.agent.adapter, &environment);
    McpRequest { servers: ready.collect(), directory: run.path().to_owned(), settings, beside_settings }
}

/// Puts paths and values where their names stand.
fn ready(transport: McpTransport, workspace: &Path, place: &SearchPath<'_>) -> McpTransport {
    let directory = workspace.display().to_string();
    let filled = |values: BTreeMap<String, String>| {
        let value = |(name, value): (String, String)| Some((name, fill(&value, place.environment).ok()?));
        values.into_iter().filter_map(value).collect()
    };
    match transport {
        McpTransport::Program { command, args, env } => {
            let found = find_program(OsStr::new(&command), place).ok();
            let command = found.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or(command);
            let args = args.into_iter().map(|arg| arg.replace("{workspace}", &directory)).collect();
            McpTransport::Program { command, args, env: filled(env) }
        }
        McpTransport::Address { url, headers } => McpTransport::Address { url, headers: filled(headers) },
    }
}

/// A variable that a value needs.
#[derive(Debug, thiserror::Error)]
#[error("the variable {0} is not set")]
struct UnsetVariable(String);

/// Replaces `${NAME}` by the variable; the first one that is not set is the error.
fn fill(text: &str, environment: &BTreeMap<OsString, OsString>) -> Result<String, UnsetVariable> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, after)) = after.split_once('}') else { break };
        let value = environment.get(OsStr::new(name)).and_then(|value| value.to_str());
        filled.push_str(before);
        filled.push_str(value.ok_or_else(|| UnsetVariable(name.to_owned()))?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// What a server needs and is not there.
fn missing_of(transport: &McpTransport, repository: &Path, place: &SearchPath<'_>) -> Vec<String> {
    let values = match transport {
        McpTransport::Program { env, .. } => env.values(),
        McpTransport::Address { headers, .. } => headers.values(),
    };
    let unset = values.filter_map(|value| fill(value, place.environment).err());
    let mut missing: Vec<String> = unset.map(|error| error.to_string()).collect();
    if let McpTransport::Program { command, args, .. } = transport {
        match find_program(OsStr::new(command), place) {
            Err(why) => missing.push(format!("its command '{command}' {why}")),
            Ok(program) if program.file_name() == Some(OsStr::new("npx")) => {
                let package = package_of(args).filter(|package| !is_installed(package, &program, repository, place));
                missing.extend(package.map(|package| {
                    format!("the package {package} is not installed, and npx has to fetch it; npm install -g {package}")
                }));
            }
            Ok(_) => {}
        }
    }
    missing
}

/// The package that `npx` runs, without its version.
fn package_of(args: &[String]) -> Option<&str> {
    let mut args = args.iter().map(String::as_str);
    let named = loop {
        match args.next()? {
            "-p" | "--package" => break args.next()?,
            "-c" | "--call" => return None,
            "--" => break args.next()?,
            arg if arg.starts_with("--package=") => break &arg["--package=".len()..],
            arg if arg.starts_with('-') => {}
            arg => break arg,
        }
    };
    // A scope begins with the sign that a version begins with.
    let version = named.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
    Some(version.map_or(named, |at| &named[..at]))
}

/// Whether npm has a package: in the project, beside its own program, or among those that npx fetched before.
fn is_installed(package: &str, npx: &Path, repository: &Path, place: &SearchPath<'_>) -> bool {
    if package.contains("..") || package.starts_with('/') {
        return false;
    }
    let has = |modules: PathBuf| modules.join(package).join("package.json").is_file();
    let variable = |name: &str| place.environment.get(OsStr::new(name)).map(PathBuf::from);
    let in_project = repository.ancestors().map(|directory| directory.join("node_modules"));
    let real = npx.canonicalize().unwrap_or_default();
    let prefixes = [npx, real.as_path()].into_iter().flat_map(Path::ancestors).map(Path::to_owned);
    let prefixes = prefixes.chain(variable("NPM_CONFIG_PREFIX")).chain(variable("npm_config_prefix"));
    let global = prefixes.map(|prefix| prefix.join("lib/node_modules"));
    let cache = variable("npm_config_cache").or_else(|| variable("HOME").map(|home| home.join(".npm")));
    let fetched = cache.and_then(|cache| cache.join("_npx").read_dir().ok());
    let fetched = fetched.into_iter().flatten().flatten().map(|entry| entry.path().join("node_modules"));
    in_project.chain(global).chain(fetched).any(has)
}

#[cfg(test)]
mod tests;
