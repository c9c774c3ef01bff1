//! Bad input: each mistake gets its code, a message that names the thing, a way out, and leaves nothing behind.

#[cfg(test)]
mod bad_input {
    mod config;
    mod database;
    mod dry_run;
    mod files;
    mod home;
    mod prompt;
    mod refs;
    mod refusal;
    mod repository;
    mod runner;
    mod spec_file;
    mod spec_meaning;
    mod tmux;
    mod unprivileged;
}
