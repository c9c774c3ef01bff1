//! Agents whose supervisor is gone: each is named and can be ended, and nobody is taken for one who is none.

#[cfg(test)]
mod orphans {
    mod fixture;
    mod found;
    mod pid_files;
    mod reuse;
    mod together;
}
