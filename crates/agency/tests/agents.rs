//! Named agents: spawned, talked to, crashing and coming back, shut down.

#[cfg(test)]
mod agents {
    mod fixture;
    mod jj;
    mod naming;
    mod restarting;
    mod shutting_down;
    mod slots;
    mod talking;
    mod watching;
}
