//! Makes the start of every command short. The unwinder and the arithmetic of gcc are linked into the program: as a shared
//! library they would be opened, mapped and relocated each time, and only a backtrace needs the one, and mold takes the other
//! from there. The program itself has a fixed address: decision 25.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_target = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    if is_target("CARGO_CFG_TARGET_OS", "linux") && is_target("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
        println!("cargo::rustc-link-lib=static:-bundle=gcc");
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
