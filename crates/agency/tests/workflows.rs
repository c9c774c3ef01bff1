//! Workflow sessions: driven by a run, interrupted anywhere, gone on with, and ended by people.

#[cfg(test)]
mod workflows {
    mod crash;
    mod long_way;
    mod place;
    mod scenarios;
    mod wide;
}
