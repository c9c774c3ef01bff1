//! Faults from outside: each ends in a clear state, with every byte that was written, and nothing left.

#[cfg(test)]
mod faults {
    mod agents;
    mod crash;
    mod descriptors;
    mod environment;
    mod fixture;
    mod full_disk;
    mod full_disk_gc;
    mod full_disk_landing;
    mod interrupt;
    mod isolation;
    mod logs;
    mod queue;
    mod secrets;
    mod serve;
    mod small_disk;
    mod stop;
    mod tmux;
    mod wall_time;
    mod wrapper;
}
