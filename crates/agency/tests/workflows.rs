//! Workflow sessions: driven by a run, interrupted anywhere, gone on with, and ended by people.

#[cfg(test)]
mod workflows {
    mod agent_execution;
    mod clock;
    mod core;
    mod crash;
    mod deciding;
    mod driver_protocol;
    mod finishing;
    mod jj;
    mod long_way;
    mod mcp_servers;
    mod merge_checkouts;
    mod open_sessions;
    mod place;
    mod redirected;
    mod removing;
    mod scenarios;
    mod sessions;
    mod trouble;
    mod wide;
}
