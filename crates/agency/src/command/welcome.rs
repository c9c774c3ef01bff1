//! Notes that are shown once: which agents were found, and that runs are detached without tmux.

use agency_engine::agency::Agency;
use agency_model::{Host, HostChoice};

use crate::context::Context;

/// Before the first run from a terminal: which agents were found, which one is the default, and how to change that.
pub(super) fn greet(agency: &mut Agency, context: &Context) {
    if context.json() || context.is_quiet() || !context.is_at_terminal() || !agency.is_first_time("agents") {
        return;
    }
    let here = context.current_directory().unwrap_or_default();
    let found: Vec<String> = agency.installed_agents(&here, &std::env::vars_os().collect());
    let names = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    let usual = agency.config().default_agent.replace('_', "-");
    context.say(&format!("Agents found here: {names}.\nThe default is {usual}; -a NAME chooses another one."));
    // An agent that could be chosen instead, else how the line is written.
    let other = found.iter().find(|name| **name != usual && *name != "scripted").map_or(usual, Clone::clone);
    context.say(&format!(
        "To change that, write into {}:\n  default_agent = \"{}\"\n  branch_template = \"agency/{{name}}\"   # branches \
         by name, not by id\n(This is shown once; agency doctor checks the rest.)",
        context.usual_config_file(),
        other.replace('-', "_"),
    ));
}

/// Where `auto` found no tmux: that the run is detached.
pub(super) fn note_host(agency: &mut Agency, host: Host, context: &Context) {
    let is_without_tmux = agency.config().host == HostChoice::Auto && host == Host::Detached;
    if is_without_tmux && !context.json() && !context.is_quiet() && agency.is_first_time("detached") {
        context.say(
            "tmux is not installed, so runs are detached: they continue without a terminal, and agency attach shows them. \
             (This is shown once.)",
        );
    }
}
