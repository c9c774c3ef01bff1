//! `agency man`: the manual pages.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agency_model::{ErrorCode, nearest};
use clap_mangen::Man;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// Print a manual page, or write all of them into a directory
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency man | man -l -\n  agency man run | man -l -\n  \
    agency man --dir ~/.local/share/man/man1 && man agency-run")]
pub(crate) struct Args {
    /// The command whose page is printed, such as run or workflow run; without it, that of agency
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    command: Vec<String>,
    /// Write the pages of all commands into this directory
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: Option<PathBuf>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Pages {
    /// The files that were written; empty if a page was printed.
    files: Vec<String>,
    /// The page, in the language of man.
    page: Option<String>,
}

pub(crate) fn run(args: &Args, root: &clap::Command, context: &Context) -> Result<ExitCode, Problem> {
    if let Some(directory) = &args.dir {
        let mut files = vec![];
        write_all(root, "agency", directory, &mut files)?;
        let pages = Pages { files, page: None };
        return context.answer(&pages, |out| writeln!(out, "wrote the manual pages into {}", directory.display()));
    }
    let (command, name) = find(root, &args.command)?;
    let pages = Pages { files: vec![], page: Some(page(command, &name)?) };
    context.answer(&pages, |out| write!(out, "{}", pages.page.as_deref().unwrap_or_default()))
}

/// The command that words name, with the name of its page.
fn find<'a>(root: &'a clap::Command, words: &[String]) -> Result<(&'a clap::Command, String), Problem> {
    let (mut command, mut name) = (root, "agency".to_owned());
    for word in words {
        let Some(below) = command.find_subcommand(word) else {
            let known = command.get_subcommands().filter(|known| !known.is_hide_set()).map(clap::Command::get_name);
            let problem = Problem::new(ErrorCode::Usage, format!("there is no command '{}'", words.join(" ")));
            return Err(match nearest(word, known) {
                Some(meant) => problem.hint(format!("did you mean {meant}?")),
                None => problem.hint("agency --help lists the commands"),
            });
        };
        command = below;
        name = format!("{name}-{}", command.get_name());
    }
    Ok((command, name))
}

fn page(command: &clap::Command, name: &str) -> Result<String, Problem> {
    let mut bytes = vec![];
    let man = Man::new(command.clone().version(env!("CARGO_PKG_VERSION"))).title(name);
    man.render(&mut bytes).map_err(|error| Problem::output(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write_all(command: &clap::Command, name: &str, directory: &Path, files: &mut Vec<String>) -> Result<(), Problem> {
    let path = directory.join(format!("{name}.1"));
    let wrong = |error: std::io::Error| Problem::new(ErrorCode::Io, format!("{}: {error}", path.display()));
    std::fs::create_dir_all(directory).map_err(wrong)?;
    std::fs::write(&path, page(command, name)?).map_err(wrong)?;
    files.push(path.display().to_string());
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help") {
        write_all(below, &format!("{name}-{}", below.get_name()), directory, files)?;
    }
    Ok(())
}
