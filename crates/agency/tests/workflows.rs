//! Workflow sessions: driven by a run, interrupted anywhere, gone on with, and ended by people.

#[cfg(test)]
mod workflows {
    mod agent_execution;
    mod core;
    mod crash;
    mod long_way;
    mod mcp_servers;
    mod merge_checkouts;
    mod open_sessions;
    mod place;
    mod redirected;
    mod removing;
    mod scenarios;
    mod wide;
}
