//! The agents themselves, run against a model that says what a test tells it to. `scripts/agents` installs them.

#[cfg(test)]
mod real_agents {
    #[macro_use]
    mod scene;
    mod activity;
    mod ask;
    mod ask_limits;
    mod background;
    mod codex;
    mod crash;
    mod interactive;
    mod land;
    mod mcp_server;
    mod mcp_servers;
    mod model_errors;
    mod prompt;
    mod quick_start;
    mod reading;
    mod screen;
    mod stop;
    mod talk;
    mod work;
    mod workflow;
}
