//! Links the unwinder of gcc into the program. As a shared library it would be opened, mapped and relocated at the start of
//! every command, and only a backtrace needs it.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_target = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    if is_target("CARGO_CFG_TARGET_OS", "linux") && is_target("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
