//! Every block of the README that begins with `` ```sh run `` is run, in their order, in one repository.
//!
//! A stand-in takes the place of each agent's program: it leaves a file that is not committed, or sleeps when it is
//! asked to rewrite something. Everything else is real.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::markdown::{blocks, read};
use super::program::world;

const STAND_IN: &str = "case \"$*\" in *Rewrite*) exec sleep 60 ;; esac\necho working\necho 'a change' >> notes.md";

#[test]
fn every_block_that_is_to_be_run_works_as_it_stands() {
    let world = world();
    let repo = world.repo("shop");
    for name in ["claude_code", "codex"] {
        world.agent(name, STAND_IN);
    }
    // The world's configuration, in the place where users have theirs.
    let directory = world.root().join("home/.config/agency");
    fs::create_dir_all(&directory).unwrap();
    symlink("../../config.toml", directory.join("config.toml")).unwrap();

    let program = Path::new(env!("CARGO_BIN_EXE_agency")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let runnable = blocks(&read("README.md"), "sh run");
    assert!(runnable.len() >= 9, "only {} blocks are to be run", runnable.len());
    for block in runnable {
        let like = world.command(&[]);
        let environment = like.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let mut shell = Command::new("sh");
        shell.args(["-eu", "-c", &block]).env_clear().envs(environment);
        shell.env("PATH", &path).current_dir(&repo.path);
        let output = world.run(&mut shell);
        assert!(output.status.success(), "this block fails:\n{block}{output}");
    }
    assert_eq!(repo.git(&["show", "rescued:notes.md"]), "a change");
}
