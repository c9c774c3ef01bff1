//! Lays a file over the defaults.

use super::{
    AgentConfig, AgentTable, Config, ConfigError, Form, NotifyConfig, PromptDelivery, RestartConfig, ScreenSource,
    agent_name, built_in,
    document::{Document, dotted},
    file::{Agent, AgentForm, ConfigFile},
    origin::KeyLines,
};
use agency_adapters::StreamFormat;
use agency_model::document::{Mistake, Mistakes};
use agency_model::spec::LimitsSpec;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};

/// The configuration without a file.
pub(super) fn defaults() -> Config {
    settings(ConfigFile::default(), AgentTable::default(), KeyLines::default(), None)
}

/// The configuration of a file.
pub(super) fn file((mut file, document): (ConfigFile, Document<'_>)) -> Result<Config, ConfigError> {
    let (agents, mut mistakes) = agents(std::mem::take(&mut file.agents), &document);
    let mut default_agent = agent_name::normalised(&file.default_agent);
    let is_known = |name: &str| agents.contains_key(name) || built_in::names().any(|known| known == name);
    if let (false, Some(meant)) = (is_known(&default_agent), agent_name::aliased(&default_agent)) {
        meant.clone_into(&mut default_agent);
    }
    if mistakes.is_empty() && !is_known(&default_agent) {
        let known = known_names(&agents);
        let message = format!("there is no agent {:?}", file.default_agent);
        let nearest = agency_model::nearest(&default_agent, known.iter().copied());
        let message = match nearest {
            Some(_) => message,
            None => format!("{message}: known here are `{}`", known.join("`, `")),
        };
        mistakes.push(document.mistake_of_value(&["default_agent"], message).meant(nearest));
    }
    if !mistakes.is_empty() {
        return Err(Mistakes::from(mistakes).into());
    }
    file.default_agent = default_agent;
    let agents = AgentTable::of_file(agents);
    Ok(settings(file, agents, KeyLines::of(&document), Some(document.path.to_owned())))
}

fn settings(file: ConfigFile, agents: AgentTable, lines: KeyLines, path: Option<PathBuf>) -> Config {
    Config {
        default_agent: file.default_agent,
        max_agents: file.max_agents,
        host: file.host,
        branch_template: file.branch_template,
        vcs: file.vcs,
        wrapper: non_empty(file.wrapper).map(PathBuf::from),
        diff_tool: non_empty(file.diff_tool),
        pid_dir: non_empty(file.pid_dir).map(|directory| beside(path.as_deref(), &directory)),
        tmux_socket: non_empty(file.tmux.socket),
        trust_worktrees: file.trust_worktrees,
        allow_self_answer: file.allow_self_answer,
        limits: LimitsSpec {
            max_minutes: minutes(file.limits.max_minutes),
            no_progress_minutes: minutes(file.limits.no_progress_minutes),
            question_minutes: minutes(file.limits.question_minutes),
            unknown_minutes: minutes(file.limits.unknown_minutes),
        },
        stop_grace: Duration::from_secs(file.limits.stop_grace_seconds.into()),
        shutdown_grace: Duration::from_secs(file.limits.shutdown_grace_seconds.into()),
        restart: RestartConfig {
            failures: file.restart.failures,
            pauses: file.restart.pauses_seconds.into_iter().map(|pause| Duration::from_secs(pause.into())).collect(),
            healthy_minutes: file.restart.healthy_minutes,
        },
        lock_timeout: Duration::from_secs(file.database.lock_timeout_seconds.into()),
        approval_policy: file.approval_policy,
        notify: NotifyConfig {
            bell: file.notify.bell,
            desktop: file.notify.desktop,
            command: file.notify.command,
            always: file.notify.always,
        },
        forecast: file.forecast,
        gc: file.gc,
        land_attempts: file.land.attempts,
        mcp_allow_land: file.mcp.allow_land,
        tui: file.tui.into(),
        sources_dir: non_empty(file.sources_dir).map(|place| beside(path.as_deref(), &place)),
        agents,
        file: path,
        lines,
    }
}

fn minutes(minutes: u32) -> Option<u32> {
    Some(minutes).filter(|&minutes| minutes > 0)
}

fn non_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// A relative path is meant from where the file is.
fn beside(file: Option<&Path>, path: &str) -> PathBuf {
    let place = file.map(|file| std::path::absolute(file).unwrap_or_else(|_| file.to_owned()));
    place.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).join(path)
}

/// The names of all agents, in alphabetical order.
fn known_names(written: &BTreeMap<String, AgentConfig>) -> Vec<&str> {
    let mut names: BTreeSet<&str> = written.keys().map(String::as_str).collect();
    for name in built_in::names() {
        names.insert(name);
    }
    names.into_iter().collect()
}

/// The agents that the file names, each laid over the built-in one with its name.
fn agents(written: BTreeMap<String, Agent>, document: &Document<'_>) -> (BTreeMap<String, AgentConfig>, Vec<Mistake>) {
    let mut mistakes = vec![];
    let mut spellings: BTreeMap<String, String> = BTreeMap::new();
    let mut agents = BTreeMap::new();
    for (spelling, agent) in written {
        let wrong = |message: String| document.mistake_of_key(&["agents", &spelling], message);
        if !agent_name::is_valid(&spelling) {
            mistakes.push(wrong("an agent's name has only letters, digits, `_` and `-`".to_owned()));
            continue;
        }
        let name = agent_name::normalised(&spelling);
        if let Some(first) = spellings.insert(name.clone(), spelling.clone()) {
            let same = |one: &str, other: &str| {
                let message = format!("this is the agent `{}`, too: keep one of them", dotted(&["agents", other]));
                document.mistake_of_key(&["agents", one], message)
            };
            // The later one in the text is the one to remove.
            mistakes.push(same(&first, &spelling).max(same(&spelling, &first)));
            continue;
        }
        let known = built_in::find(&name).or_else(|| agent.command.clone().map(AgentConfig::new));
        let Some(mut known) = known else {
            let nearest = agency_model::nearest(&spelling, known_names(&agents));
            let message = "it is not a built-in agent, so it needs a `command`".to_owned();
            mistakes.push(wrong(message).meant(nearest));
            continue;
        };
        overlay(&mut known, agent, document.path);
        mistakes.extend(check_forms(&known, &spelling, document));
        agents.insert(name, known);
    }
    (agents, mistakes)
}

/// Applies the file's settings of an agent over its defaults.
pub(super) fn overlay(known: &mut AgentConfig, written: Agent, file: &Path) {
    let Agent { command, args, env, prompt, stream, screen, interactive, headless, one_shot, ask, chat } = written;
    if let Some(command) = command {
        known.command = command;
        known.own_command = false;
    }
    known.args = args;
    known.env = env;
    known.ask = ask;
    known.chat = chat;
    if let Some(screen) = screen {
        known.screen = ScreenSource::File(beside(Some(file), &screen));
    }
    if stream == Some(StreamFormat::Acp) && prompt.is_none() {
        known.headless.prompt = PromptDelivery::Protocol;
    }
    if prompt.as_ref().is_some_and(|prompt| *prompt != PromptDelivery::Protocol) || stream == Some(StreamFormat::Text) {
        // A user who replaces a conversation by something else means the one-shot form.
        known.headless = known.one_shot.take().unwrap_or_else(|| known.headless.clone());
    }
    if let Some(prompt) = prompt {
        if prompt != PromptDelivery::Protocol {
            known.interactive.prompt = prompt.clone();
        }
        known.headless.prompt = prompt;
    }
    if let Some(stream) = stream {
        known.headless.stream = stream;
        resume_by_protocol(&mut known.headless);
    }
    if let Some(form) = interactive {
        overlay_form(&mut known.interactive, form);
    }
    if let Some(form) = headless {
        overlay_form(&mut known.headless, form);
    }
    if let Some(form) = one_shot {
        overlay_form(known.one_shot.get_or_insert_with(|| known.headless.clone()), form);
    }
}

fn overlay_form(known: &mut Form, written: AgentForm) {
    let AgentForm { args, prompt, stream, resume } = written;
    if let Some(args) = args {
        known.args = args;
        // Its resume arguments belong to the old arguments.
        known.resume = None;
    }
    known.prompt = prompt.unwrap_or_else(|| known.prompt.clone());
    known.stream = stream.unwrap_or(known.stream);
    known.resume = resume.or(known.resume.take());
    resume_by_protocol(known);
}

/// A protocol that resumes conversations itself needs no other arguments for it.
fn resume_by_protocol(form: &mut Form) {
    if form.stream == StreamFormat::Acp && form.resume.is_none() {
        form.resume = Some(form.args.clone());
    }
}

/// A protocol needs a stream that has one, and some streams are nothing without.
fn check_forms(agent: &AgentConfig, spelling: &str, document: &Document<'_>) -> Vec<Mistake> {
    let forms = [
        ("interactive", Some(&agent.interactive)),
        ("headless", Some(&agent.headless)),
        ("one_shot", agent.one_shot.as_ref()),
    ];
    let mistake = |(name, form): (&str, Option<&Form>)| {
        let form = form?;
        let message = if form.is_two_way() && name == "interactive" {
            "a terminal has no protocol: use another `prompt`".to_owned()
        } else if form.is_two_way() && !form.stream.is_two_way() {
            format!("`protocol` needs a `stream` that goes both ways: {}", StreamFormat::two_way_names())
        } else if !form.is_two_way() && form.stream == StreamFormat::Acp {
            "`acp` needs the prompt by `protocol`".to_owned()
        } else if !form.stream.is_configurable() {
            format!("`{}` is only for agency's own program: use another `stream`", form.stream)
        } else {
            return None;
        };
        Some(document.mistake_of_value(&["agents", spelling, name], message))
    };
    forms.into_iter().filter_map(mistake).collect()
}
