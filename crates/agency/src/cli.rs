//! The command line: what can be typed, and what it leads to.

mod misspelt;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use agency_model::ErrorCode;
use clap::builder::PossibleValuesParser;
use clap::{Args as _, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::command;
use crate::context::Context;
use crate::diagnostics::{self, Destination};
use crate::problem::Problem;

/// Runs AI coding agents, each in its own workspace, supervised and logged.
#[derive(Debug, Parser)]
#[command(name = "agency", version, propagate_version = true, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
#[command(after_help = "Without a command, agency opens the TUI.\n\n\
    Start with `agency demo`, or in a git repository:\n  \
    agency run \"Fix the failing test\"\n  agency ls\n  agency attach last\n\n\
    agency help <topic> shows a page of the documentation, agency help topics lists them.")]
struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    verb: Option<Verb>,
}

/// The options of every command.
#[derive(Debug, clap::Args)]
struct Options {
    /// Print one JSON object and nothing else
    #[arg(long, global = true)]
    json: bool,
    /// Read this configuration file (also $AGENCY_CONFIG)
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print diagnostics to standard error; twice for more (also $AGENCY_LOG)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Print no notes and no progress, only what was asked for and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Use colours: auto, always or never (also $NO_COLOR)
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true,
        value_parser = PossibleValuesParser::new(["auto", "always", "never"]))]
    color: String,
}

/// Defines the commands once: as variants, and by name. To describe all of them takes longer than to parse one.
macro_rules! verbs {
    ($($(#[$attribute:meta])* $verb:ident($arguments:ty) = $name:literal,)+) => {
        #[derive(Debug, Subcommand)]
        #[command(defer = true)]
        enum Verb {
            $($(#[$attribute])* #[command(name = $name)] $verb($arguments),)+
        }

        /// The description of the command with this name.
        fn command_named(name: &str) -> Option<clap::Command> {
            match name {
                $($name => Some(<$arguments>::augment_args(clap::Command::new($name))),)+
                _ => None,
            }
        }
    };
}

verbs! {
    Tui(command::tui::Args) = "tui",
    Run(Box<command::run::Args>) = "run",
    Race(Box<command::race::Args>) = "race",
    Ls(command::ls::Args) = "ls",
    Status(command::status::Args) = "status",
    Show(command::show::Args) = "show",
    Logs(command::logs::Args) = "logs",
    Events(command::events::Args) = "events",
    Diff(command::diff::Args) = "diff",
    Forecast(command::forecast::Args) = "forecast",
    Checkpoint(command::checkpoint::Args) = "checkpoint",
    Attach(command::attach::Args) = "attach",
    Shell(command::shell::Args) = "shell",
    Cd(command::cd::Args) = "cd",
    Open(command::open::Args) = "open",
    Wait(command::wait::Args) = "wait",
    Why(command::why::Args) = "why",
    Inbox(command::inbox::Args) = "inbox",
    Answer(command::answer::Args) = "answer",
    Policy(command::policy::Args) = "policy",
    Agent(command::agent::Args) = "agent",
    Ask(command::ask::Args) = "ask",
    Chat(command::chat::Args) = "chat",
    Source(command::source::Args) = "source",
    Mcp(command::mcp::Args) = "mcp",
    Send(command::send::Args) = "send",
    Interrupt(command::interrupt::Args) = "interrupt",
    Resume(Box<command::resume::Args>) = "resume",
    Review(command::review::Args) = "review",
    Land(Box<command::land::Args>) = "land",
    Stop(command::stop::Args) = "stop",
    Rm(command::rm::Args) = "rm",
    Restore(command::restore::Args) = "restore",
    Du(command::du::Args) = "du",
    Gc(command::gc::Args) = "gc",
    Trust(command::trust::Args) = "trust",
    Worktree(command::worktree::Args) = "worktree",
    Import(command::import::Args) = "import",
    Init(command::init::Args) = "init",
    Workflow(command::workflow::Args) = "workflow",
    Reconcile(command::reconcile::Args) = "reconcile",
    Serve(command::serve::Args) = "serve",
    Doctor(command::doctor::Args) = "doctor",
    Cost(command::cost::Args) = "cost",
    Adapters(command::adapters::Args) = "adapters",
    Config(command::config::Args) = "config",
    Schema(command::schema::Args) = "schema",
    Completions(command::completions::Args) = "completions",
    Man(command::man::Args) = "man",
    Help(command::help::Args) = "help",
    Demo(command::demo::Args) = "demo",
    #[command(hide = true)]
    Scripted(command::scripted::Args) = "scripted",
    #[command(hide = true)]
    Drive(command::drive::Args) = "drive",
}

/// The whole command line, for completions.
pub(crate) fn command() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command
}

/// The command line with no other command than the one that the arguments begin with: clap copies the options of every command
/// into each of them before it reads the first argument. `None` if they begin with something else.
fn command_of(arguments: &[OsString]) -> Option<clap::Command> {
    let verb = command_named(arguments.get(1)?.to_str()?)?;
    Some(Options::augment_args(clap::Command::new("agency").disable_help_subcommand(true)).subcommand(verb))
}

/// What the arguments say, and the name of the command.
fn parse(mut command: clap::Command, arguments: &[OsString]) -> Result<(Cli, Option<String>), clap::Error> {
    let matches = command.try_get_matches_from_mut(arguments)?;
    // Taking the tree of all commands apart takes a fifth of the time of parsing, and the process will be short.
    std::mem::forget(command);
    Ok((Cli::from_arg_matches(&matches)?, matches.subcommand_name().map(str::to_owned)))
}

/// Does what the arguments say.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    // A wrong command line is answered in JSON too, where JSON was asked for.
    let json = arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json");
    // The arguments of all verbs take longer to build than those of one verb take to parse. Only a help text and an error
    // need the descriptions of all of them.
    let quick = command_of(&arguments).unwrap_or_else(Cli::command);
    let (Cli { options, verb }, name) = match parse(quick, &arguments).or_else(|_| parse(command(), &arguments)) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(&misspelt::with_nearest(error, &command(), &arguments), json),
    };
    use_colours(&options.color);
    let context = Context::new(options.json, options.config).quiet(options.quiet);
    let Some(verb) = verb.or_else(|| without_a_verb(&context)) else {
        return refuse(&nothing_asked(), json);
    };
    if let Err(problem) = diagnostics::install(options.verbose, || destination(&verb, &context)) {
        return context.report(&problem);
    }
    let started = Instant::now();
    tracing::debug!(version = env!("CARGO_PKG_VERSION"), command = name, "command started");
    let outcome = match verb {
        Verb::Tui(args) => command::tui::run(args, &context),
        Verb::Run(args) => command::run::run(*args, &context),
        Verb::Race(args) => command::race::run(*args, &context),
        Verb::Ls(args) => command::ls::run(&args, &context),
        Verb::Status(args) => command::status::run(&args, &context),
        Verb::Show(args) => command::show::run(&args, &context),
        Verb::Logs(args) => command::logs::run(&args, &context),
        Verb::Events(args) => command::events::run(&args, &context),
        Verb::Diff(args) => command::diff::run(&args, &context),
        Verb::Forecast(args) => command::forecast::run(&args, &context),
        Verb::Checkpoint(args) => command::checkpoint::run(args, &context),
        Verb::Attach(args) => command::attach::run(&args, &context),
        Verb::Shell(args) => command::shell::run(&args, &context),
        Verb::Cd(args) => command::cd::run(&args, &context),
        Verb::Open(args) => command::open::run(&args, &context),
        Verb::Wait(args) => command::wait::run(&args, &context),
        Verb::Why(args) => command::why::run(&args, &context),
        Verb::Inbox(args) => command::inbox::run(&args, &context),
        Verb::Answer(args) => command::answer::run(args, &context),
        Verb::Policy(args) => command::policy::run(&args, &context),
        Verb::Agent(args) => command::agent::run(args, &context),
        Verb::Ask(args) => command::ask::run(args, &context),
        Verb::Chat(args) => command::chat::run(args, &context),
        Verb::Source(args) => command::source::run(args, &context),
        Verb::Mcp(args) => command::mcp::run(&args, &context),
        Verb::Send(args) => command::send::run(&args, &context),
        Verb::Interrupt(args) => command::interrupt::run(&args, &context),
        Verb::Resume(args) => command::resume::run(*args, &context),
        Verb::Review(args) => command::review::run(&args, &context),
        Verb::Land(args) => command::land::run(*args, &context),
        Verb::Stop(args) => command::stop::run(&args, &context),
        Verb::Rm(args) => command::rm::run(&args, &context),
        Verb::Restore(args) => command::restore::run(&args, &context),
        Verb::Du(args) => command::du::run(&args, &context),
        Verb::Gc(args) => command::gc::run(&args, &context),
        Verb::Trust(args) => command::trust::run(&args, &context),
        Verb::Worktree(args) => command::worktree::run(&args, &context),
        Verb::Import(args) => command::import::run(&args, &context),
        Verb::Init(args) => command::init::run(&args, &context),
        Verb::Workflow(args) => command::workflow::run(args, &context),
        Verb::Reconcile(args) => command::reconcile::run(&args, &context),
        Verb::Serve(args) => command::serve::run(&args, &context),
        Verb::Doctor(args) => command::doctor::run(&args, &context),
        Verb::Adapters(args) => command::adapters::run(&args, &context),
        Verb::Config(args) => command::config::run(&args, &context),
        Verb::Schema(args) => command::schema::run(&args, &context),
        Verb::Completions(args) => command::completions::run(&args, &context),
        Verb::Cost(args) => command::cost::run(&args, &context),
        Verb::Man(args) => command::man::run(&args, &self::command(), &context),
        Verb::Help(args) => command::help::run(&args, self::command(), &context),
        Verb::Demo(args) => command::demo::run(&args, &context),
        Verb::Scripted(args) => command::scripted::run(&args, &context),
        Verb::Drive(args) => command::drive::run(&args, &context),
    };
    let ms = started.elapsed().as_millis();
    match outcome {
        Ok(code) => {
            tracing::debug!(ms, "command finished");
            code
        }
        Err(problem) => {
            tracing::debug!(code = problem.code().as_str(), ms, "command failed");
            context.report(&problem)
        }
    }
}

/// What all output of this process does about colours.
fn use_colours(when: &str) {
    match when {
        "always" => anstream::ColorChoice::Always.write_global(),
        "never" => anstream::ColorChoice::Never.write_global(),
        _ => {}
    }
}

/// Where the diagnostics of a command go: to a file where the terminal shows something else, or standard error is part of
/// the log of a run. None without a home.
fn destination(verb: &Verb, context: &Context) -> Option<Destination> {
    let shows_other = matches!(verb, Verb::Tui(_) | Verb::Attach(_) | Verb::Chat(_) | Verb::Drive(_))
        || matches!(verb, Verb::Mcp(args) if args.serves());
    if !shows_other {
        return Some(Destination::StandardError);
    }
    context.home().ok().map(|home| Destination::File(home.diagnostics_log()))
}

/// Without a subcommand on a terminal, opens the TUI.
fn without_a_verb(context: &Context) -> Option<Verb> {
    (context.has_screen() && !context.json()).then(|| Verb::Tui(command::tui::Args::default()))
}

fn nothing_asked() -> clap::Error {
    let message = "no command: without one agency opens the TUI, which needs a terminal";
    command().error(clap::error::ErrorKind::MissingSubcommand, message)
}

fn refuse(error: &clap::Error, json: bool) -> ExitCode {
    use clap::error::ErrorKind;
    let context = Context::new(json, None);
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return context.print_help(error);
    }
    if !json {
        return context.print_usage_error(error);
    }
    let message = error.to_string();
    let message = message.trim().trim_start_matches("error: ");
    context.report(&Problem::new(ErrorCode::Usage, message).hint("agency --help lists the commands"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Cli, command_named, command_of};

    #[test]
    fn each_command_has_the_same_description_by_its_name() {
        let mut all = Cli::command();
        all.build();
        for verb in all.get_subcommands() {
            let mut alone = command_of(&["agency".into(), verb.get_name().into()]).unwrap();
            alone.build();
            let named = alone.find_subcommand(verb.get_name()).unwrap();
            assert_eq!(named.get_about().map(ToString::to_string), verb.get_about().map(ToString::to_string));
            for argument in named.get_arguments() {
                assert!(verb.get_arguments().any(|other| other.get_id() == argument.get_id()), "{}", verb.get_name());
            }
        }
        assert!(command_named("nothing").is_none());
    }
}
