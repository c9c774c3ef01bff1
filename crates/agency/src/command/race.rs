//! `agency race`: one prompt for several agents or models, and one of the results lands.

mod finish;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use agency_model::ErrorCode;

use self::finish::{Afterwards, finish};
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::new_race::NewRace;
use crate::output::{Spinner, parse_duration};
use crate::problem::Problem;
use crate::typed_text::{file_text, given_text};
use crate::view::RaceList;

/// Give several agents or models the same prompt, verify the results, and land one
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Each runs headless in a worktree of its own, on the same commit. When all have ended, the work of each is \
    verified in turn,\nin a clean tree with its tracked files. What a pattern of --protect matches is taken from the base there. \
    Ctrl-C leaves the runs running.\n\nExamples:\n  \
    agency race \"Fix the flaky test\" --agents claude_code,codex --verify \"cargo test\"\n  \
    agency race --prompt-file task.md --agents claude_code@opus,claude_code@sonnet,codex:gpt-5 \\\n    \
    --verify \"npm ci && npm test\" --protect \"test/**\" --land\n  \
    agency race show last --wait --pick\n  agency rm --race last"
)]
pub(crate) struct Args {
    /// What the agents are to do, - from standard input
    #[arg(value_name = "PROMPT", conflicts_with_all = ["prompt", "prompt_file"])]
    task: Option<String>,
    /// The same, as an option
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// The same, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    prompt_file: Option<PathBuf>,
    /// The agents, each with a model after : or @ if it is not the usual one
    #[arg(long, value_name = "AGENT[:MODEL],…", value_delimiter = ',')]
    agents: Vec<String>,
    /// A command that verifies the work of each run, for sh -c
    #[arg(long, value_name = "COMMAND")]
    verify: Option<String>,
    /// Files that are verified as they are in the base, such as tests/**; may be repeated
    #[arg(long, value_name = "PATTERN", requires = "verify")]
    protect: Vec<String>,
    /// The git repository [default: the one here]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    repo: Option<String>,
    /// The branch, tag or commit to begin at [default: HEAD]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// End each run after so many minutes
    #[arg(long, value_name = "MINUTES")]
    max_minutes: Option<u32>,
    /// Start the runs and do not wait for them
    #[arg(long, conflicts_with_all = ["pick", "land"])]
    no_wait: bool,
    #[command(flatten)]
    ending: Ending,
    #[command(subcommand)]
    what: Option<Verb>,
}

/// What happens when all runs have ended.
#[derive(Debug, clap::Args)]
pub(super) struct Ending {
    /// How long the command may take for each run, such as 10m [default: 30m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    verify_timeout: Option<Duration>,
    /// Ask which run is to land
    #[arg(long, conflicts_with = "json")]
    pick: bool,
    /// Land the best run that passed, changes no protected file and merges
    #[arg(long, conflicts_with = "pick")]
    land: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Show the state of a race
    Show {
        /// The race: its id, the beginning or end of it, or last
        #[arg(add = super::completions::race_candidates())]
        race: String,
        /// Wait until all runs have ended, and verify what is not verified yet
        #[arg(short, long)]
        wait: bool,
        #[command(flatten)]
        ending: Ending,
    },
    /// List all races
    Ls,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    match args.what {
        Some(Verb::Ls) => {
            let list = RaceList { races: agency.races()? };
            context.answer(&list, |out| list.write(out))
        }
        Some(Verb::Show { race, wait, ending }) => {
            let race = agency.find_race(&race)?;
            let interrupts = Interrupts::listen_for_hangup_too()?;
            let then = Afterwards { wait: wait || ending.pick || ending.land, ending, failed: vec![] };
            finish(&mut agency, &race, then, &interrupts, context)
        }
        None => {
            let Args {
                no_wait,
                ending,
                task,
                prompt,
                prompt_file,
                agents,
                verify,
                protect,
                repo,
                base,
                max_minutes,
                ..
            } = args;
            let prompt = prompt_of(task.or(prompt), prompt_file)?;
            let race = NewRace { prompt, agents, verify, protect, repo, base, max_minutes };
            let (wait, request) = (!no_wait, race.request(context)?);
            let interrupts = Interrupts::listen_for_hangup_too()?;
            let started = {
                let _spinner = Spinner::begin("starting the runs".to_owned(), context.is_watched());
                interrupts.while_creating(|interrupted| agency.start_race(request, interrupted))?
            };
            let failed = started.failed.iter().map(|entry| format!("{}: {}", entry.agent, entry.error)).collect();
            finish(&mut agency, &started.race, Afterwards { wait, ending, failed }, &interrupts, context)
        }
    }
}

/// What the agents are to do.
fn prompt_of(text: Option<String>, file: Option<PathBuf>) -> Result<String, Problem> {
    match (text, file) {
        (Some(text), _) => given_text(text, "prompt"),
        (None, Some(file)) => file_text(&file, "prompt"),
        (None, None) => {
            let message = "No prompt: use agency race 'TEXT', --prompt TEXT or --prompt-file FILE";
            Err(Problem::new(ErrorCode::Usage, message).hint("agency race --help shows examples"))
        }
    }
}
