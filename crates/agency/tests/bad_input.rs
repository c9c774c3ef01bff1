//! Bad input: each mistake gets its code, a message that names the thing, a way out, and leaves nothing behind.

#[cfg(test)]
mod bad_input {
    mod codes;
    mod config;
    mod database;
    mod dry_run;
    mod files;
    mod home;
    mod jj;
    mod json;
    mod met;
    mod prompt;
    mod questions;
    mod refs;
    mod refusal;
    mod repository;
    mod run_names;
    mod runner;
    mod schema;
    mod spec_file;
    mod spec_meaning;
    mod tmux;
    mod unprivileged;
}
