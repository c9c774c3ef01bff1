//! Workflow sessions: driven by a run, interrupted anywhere, continued, and ended by users.

#[cfg(test)]
mod workflows {
    mod agent_execution;
    mod clock;
    mod core;
    mod crash;
    mod deciding;
    mod driver_protocol;
    mod finishing;
    mod fixture;
    mod jj;
    mod library;
    mod long_way;
    mod manual_completion;
    mod mcp_servers;
    mod merge_checkouts;
    mod open_sessions;
    mod redirected;
    mod removing;
    mod results;
    mod sessions;
    mod stages;
    mod trouble;
    mod wide;
}
