//! Bad input: each mistake gets its code, a message that names the thing, a way out, and leaves nothing behind.

#[cfg(test)]
mod bad_input {
    mod dry_run;
    mod files;
    mod prompt;
    mod refs;
    mod refusal;
    mod repository;
    mod spec_file;
    mod spec_meaning;
    mod tmux;
    mod unprivileged;
}
