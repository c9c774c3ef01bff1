//! A process is killed at every step of `run`, `stop` and `rm`; nothing is lost, doubled or left behind.

#[cfg(test)]
mod kill_matrix {
    mod act;
    mod bystander;
    mod cases;
    mod database;
    mod invariants;
    mod names;
    mod scene;
}
