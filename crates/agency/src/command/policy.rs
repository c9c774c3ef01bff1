//! `agency policy`: checks rules, and shows what they would have done.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agency_engine::config::read_policy;
use agency_engine::runs::policy::{PolicyChange, Replayed};
use agency_engine::store::{Purpose, QuestionState, RunRow};
use agency_model::policy::{Action, Policy, Rule, in_short};
use agency_model::{Answer, QuestionId, RunId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::output::plain;
use crate::problem::Problem;
use crate::view::answer_words;

/// How many runs are examined where none is named.
const USUAL_RUNS: u32 = 100;
/// A table has room for so much of a command.
const SHOWN: usize = 60;

/// Check approval rules, or show what they would have done with past permissions
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency policy check rules.toml\n  \
    agency policy test\n  \
    agency policy test --run fix rules.toml")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Check the rules of a file, and name every mistake with its line
    Check {
        /// A file with rules alone, a configuration, or a run spec; JSON if its name ends in .json, else TOML
        file: PathBuf,
    },
    /// Show what a policy would have done with the permissions that past runs asked for
    Test {
        /// Only this run; may be repeated. Without it: the newest 100 that asked something
        #[arg(long, value_name = "RUN", allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
        run: Vec<String>,
        /// A file with rules. Without it: those of the configuration, after those of each run's spec
        file: Option<PathBuf>,
    },
}

/// The answer of `policy check`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Checked {
    file: String,
    rules: Vec<Rule>,
}

/// The answer of `policy test`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Tested {
    /// The file with the rules; null if they are those of the configuration.
    file: Option<String>,
    questions: Vec<Test>,
    summary: Summary,
}

/// One permission, as it was and as it would be.
#[derive(Debug, Serialize, JsonSchema)]
struct Test {
    id: QuestionId,
    run_id: RunId,
    run_name: Option<String>,
    tool: Option<String>,
    /// The command, the path, or whatever says most.
    what: String,
    state: QuestionState,
    answer: Option<Answer>,
    answered_by: Option<String>,
    /// What the policy would do.
    action: Action,
    /// The rule that says so; null if none is about it.
    rule: Option<String>,
    why: String,
    change: PolicyChange,
}

/// How many permissions there are of each kind.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Summary {
    questions: usize,
    allow: usize,
    deny: usize,
    ask: usize,
    /// Those that a user answered and a rule would answer alike.
    spared: usize,
    /// Those that were not answered and a rule would answer.
    decided: usize,
    /// Those whose answer would be another.
    different: usize,
    /// Those that a rule answered and a user would have to.
    asked: usize,
}

impl Test {
    fn new(run: &RunRow, replayed: Replayed) -> Self {
        let Replayed { row, decision, change } = replayed;
        Self {
            what: in_short(&row.question),
            id: row.id,
            run_id: row.run_id,
            run_name: run.name.clone(),
            tool: row.question.tool.map(|tool| tool.name),
            state: row.state,
            answer: row.answer,
            answered_by: row.answered_by,
            action: decision.action,
            rule: decision.rule,
            why: decision.why,
            change,
        }
    }

    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let what: String = plain(&self.what).chars().take(SHOWN).collect();
        writeln!(out, "{}  {}  {}", self.id, plain(self.tool.as_deref().unwrap_or("-")), what)?;
        let then = match (&self.answer, &self.answered_by) {
            (Some(answer), Some(by)) => format!("{} by {}", answer_words(answer), plain(by)),
            (Some(answer), None) => answer_words(answer),
            (None, _) if self.state == QuestionState::Open => "open".to_owned(),
            (None, _) => "never answered".to_owned(),
        };
        let now = match &self.rule {
            Some(rule) => format!("{} by {}", self.action, plain(rule)),
            None => self.action.to_string(),
        };
        let mark = match self.change {
            PolicyChange::Same => ' ',
            PolicyChange::Spared | PolicyChange::Decided => '+',
            PolicyChange::Different | PolicyChange::Asked => '!',
        };
        writeln!(out, "  {mark} {then} -> {now}  ({})", plain(&self.why))
    }
}

impl Summary {
    fn of(tests: &[Test]) -> Self {
        let actions = |action: Action| tests.iter().filter(|test| test.action == action).count();
        let changes = |change: PolicyChange| tests.iter().filter(|test| test.change == change).count();
        Self {
            questions: tests.len(),
            allow: actions(Action::Allow),
            deny: actions(Action::Deny),
            ask: actions(Action::Ask),
            spared: changes(PolicyChange::Spared),
            decided: changes(PolicyChange::Decided),
            different: changes(PolicyChange::Different),
            asked: changes(PolicyChange::Asked),
        }
    }

    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let Self { questions, allow, deny, ask, spared, decided, different, asked } = self;
        writeln!(out, "{questions} permissions: {allow} allowed, {deny} denied, {ask} asked")?;
        writeln!(
            out,
            "changes: {spared} answered without you, {decided} previously unanswered, {different} answered differently, \
             {asked} newly asked"
        )
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    match &args.what {
        Verb::Check { file } => check(file, context),
        Verb::Test { run, file } => test(run, file.as_deref(), context),
    }
}

fn check(file: &Path, context: &Context) -> Result<ExitCode, Problem> {
    let Policy { rules } = read_policy(file)?;
    let checked = Checked { file: file.display().to_string(), rules };
    context.answer(&checked, |out| {
        for (index, rule) in checked.rules.iter().enumerate() {
            writeln!(out, "{:>3}  {}  {rule}", index + 1, rule.name.as_deref().unwrap_or("-"))?;
        }
        writeln!(out, "{}: {} rules, no mistakes", checked.file, checked.rules.len())
    })
}

fn test(runs: &[String], file: Option<&Path>, context: &Context) -> Result<ExitCode, Problem> {
    let policy = file.map(read_policy).transpose()?;
    let mut agency = context.agency()?;
    let runs: Vec<RunRow> = if runs.is_empty() {
        agency.runs_that_asked(USUAL_RUNS)?
    } else {
        runs.iter().map(|run| context.select(&mut agency, run)).collect::<Result<_, _>>()?
    };
    let mut questions = vec![];
    for run in &runs {
        questions.extend(agency.replay(run, policy.as_ref())?.into_iter().map(|replayed| Test::new(run, replayed)));
    }
    let file = file.map(|file| file.display().to_string());
    let tested = Tested { file, summary: Summary::of(&questions), questions };
    context.answer(&tested, |out| {
        let mut last = None;
        for test in &tested.questions {
            if last != Some(&test.run_id) {
                writeln!(out, "{}  {}", test.run_id, plain(test.run_name.as_deref().unwrap_or("")))?;
                last = Some(&test.run_id);
            }
            test.write(out)?;
        }
        tested.summary.write(out)
    })
}
