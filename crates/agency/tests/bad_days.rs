//! Days on which something goes wrong: each ends in a clear state, with every byte that was written, and nothing left.

#[cfg(test)]
mod bad_days {
    mod agents;
    mod crash;
    mod descriptors;
    mod environment;
    mod full_disk;
    mod interrupt;
    mod isolation;
    mod logs;
    mod place;
    mod queue;
    mod secrets;
    mod serve;
    mod small_disk;
    mod stop;
    mod tmux;
    mod wall_time;
    mod wrapper;
}
