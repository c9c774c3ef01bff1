//! `docs/commands.md` against what the program says about itself.

use super::markdown::{code_words, read, rows, section};
use super::program::{every_help, fields, schema, world};

/// Where the schema of an answer is described; those whose answer is just a run are not listed.
const ANSWERS: &[(&str, &str)] = &[
    ("run", "agency run"),
    ("run-dry-run", "agency run"),
    ("ls", "agency ls"),
    ("logs", "agency logs"),
    ("diff", "agency diff"),
    ("checkpoint-ls", "agency checkpoint"),
    ("checkpoint-show", "agency checkpoint"),
    ("checkpoint-diff", "agency checkpoint"),
    ("checkpoint-restore", "agency checkpoint"),
    ("attach", "agency attach"),
    ("why", "agency why"),
    ("inbox", "agency inbox"),
    ("inbox-show", "agency inbox"),
    ("answer", "agency answer"),
    ("send", "agency send"),
    ("interrupt", "agency interrupt"),
    ("review", "agency review"),
    ("race", "agency race"),
    ("race-ls", "agency race"),
    ("adapters", "agency adapters"),
    ("rm", "agency rm"),
    ("rm-several", "agency rm"),
    ("du", "agency du"),
    ("gc", "agency gc"),
    ("restore", "agency restore"),
    ("reconcile", "agency reconcile"),
    ("serve", "agency serve"),
    ("doctor", "agency doctor"),
    ("config-show", "agency config"),
    ("config-path", "agency config"),
    ("agent-orphans", "agency agent"),
    ("agent-kill-orphan", "agency agent"),
    ("ask", "agency ask"),
    ("source-add", "agency source"),
    ("source-ls", "agency source"),
    ("source-sync", "agency source"),
    ("source-rm", "agency source"),
    ("source-import", "agency source"),
    ("source-group-add", "agency source"),
    ("source-group-ls", "agency source"),
    ("workflow-run", "agency workflow"),
    ("workflow-ls", "agency workflow"),
    ("workflow-logs", "agency workflow"),
    ("mcp-install", "agency mcp"),
    ("policy-check", "agency policy"),
    ("policy-test", "agency policy"),
    ("land", "agency land"),
    ("land-dry-run", "agency land"),
    ("shell", "agency shell"),
    ("cd", "agency cd"),
    ("open", "agency open"),
    ("worktree-plan", "agency worktree"),
    ("trust", "agency trust"),
    ("trust-ls", "agency trust"),
    ("trust-revoke", "agency trust"),
    ("import", "agency import"),
    ("init", "agency init"),
    ("workflow-validate", "agency workflow"),
    ("workflow-render", "agency workflow"),
    ("completions", "agency completions"),
    ("demo", "agency demo"),
];

#[test]
fn every_command_has_a_section_that_names_all_its_options_and_no_other() {
    let page = read("docs/commands.md");
    for help in every_help(&world()) {
        let Some(command) = help.words.first() else {
            let common = section(&page, "Conventions");
            for flag in help.flags() {
                assert!(common.contains(&format!("`{flag}")), "{flag} is not among the global options");
            }
            continue;
        };
        let name = format!("agency {command}");
        let section = section(&page, &name);
        let words = code_words(&section);
        let flags = help.own_flags();
        for flag in &flags {
            assert!(words.iter().any(|word| names_flag(word, flag)), "{name}: {flag} is not described");
        }
        if help.words.len() > 1 || !help.subcommands().is_empty() {
            continue;
        }
        for row in rows(&section) {
            for word in code_words(&row[0]).iter().filter(|word| word.starts_with("--") && word.len() > 2) {
                let known = flags.iter().any(|flag| names_flag(word, flag));
                assert!(known || word.starts_with("-- "), "{name} has no {word}");
            }
        }
    }
}

/// Whether `--flag VALUE` is about `--flag`.
fn names_flag(word: &str, flag: &str) -> bool {
    word.split(' ').next() == Some(flag)
}

#[test]
fn every_section_is_about_a_command() {
    let page = read("docs/commands.md");
    let known: Vec<String> = every_help(&world()).iter().map(super::program::Help::name).collect();
    for heading in page.lines().filter_map(|line| line.strip_prefix("## agency ")) {
        assert!(known.contains(&format!("agency {heading}")), "there is no command {heading}");
    }
}

#[test]
fn every_field_of_an_answer_is_named() {
    let world = world();
    let page = read("docs/commands.md");
    for (name, heading) in ANSWERS {
        let words = code_words(&section(&page, heading));
        let fields = fields(&schema(&world, name)["properties"]["data"]);
        assert!(!fields.is_empty(), "the schema {name} has no fields");
        for field in fields {
            let named = words.iter().any(|word| *word == field || word.ends_with(&format!(".{field}")));
            assert!(named, "{heading}: `{field}` of the schema {name} is not named");
        }
    }
}

#[test]
fn every_field_that_show_adds_to_a_run_is_named() {
    let world = world();
    let words = code_words(&section(&read("docs/commands.md"), "agency show"));
    let run = fields(&schema(&world, "run")["properties"]["data"]);
    let shown = fields(&schema(&world, "show")["properties"]["data"]);
    assert!(shown.len() > run.len());
    for field in shown.into_iter().filter(|field| !run.contains(field)) {
        assert!(words.contains(&field), "`{field}` is not named");
    }
}

#[test]
fn every_field_of_an_orphan_is_named() {
    let schema = schema(&world(), "agent-orphans");
    let words = code_words(&section(&read("docs/commands.md"), "agency agent"));
    for part in ["OrphanView", "UnclearPidFile"] {
        let fields = fields(&schema["$defs"][part]);
        assert!(!fields.is_empty(), "{schema:#}");
        for field in fields {
            assert!(words.contains(&field), "`{field}` is not named");
        }
    }
}

#[test]
fn every_field_of_an_adapter_is_named() {
    let schema = schema(&world(), "adapters");
    let words = code_words(&section(&read("docs/commands.md"), "agency adapters"));
    for part in ["Adapter", "Supports"] {
        let fields = fields(&schema["$defs"][part]);
        assert!(!fields.is_empty(), "{schema:#}");
        for field in fields {
            let named = words.iter().any(|word| *word == field || word.ends_with(&format!(".{field}")));
            assert!(named, "`{field}` is not named");
        }
    }
}

#[test]
fn every_field_of_a_session_in_a_list_of_a_log_and_of_a_step_is_named() {
    let world = world();
    let words = code_words(&section(&read("docs/commands.md"), "agency workflow"));
    for (name, part) in [("workflow-ls", "Listed"), ("workflow-logs", "Log"), ("workflow-run", "StepOverview")] {
        let schema = schema(&world, name);
        let fields = fields(&schema["$defs"][part]);
        assert!(!fields.is_empty(), "{schema:#}");
        for field in fields {
            assert!(words.contains(&field), "`{field}` is not named");
        }
    }
}
