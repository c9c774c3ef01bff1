//! Any text gives some reading.

use std::sync::LazyLock;

use agency_adapters::screen::{ScreenRules, ScreenText};
use agency_model::{Activity, Answer};
use proptest::prelude::*;

use super::recorded::{AGENTS, recorded, rules, screens};

/// Reads a screen and tries every answer; nothing may panic.
fn survives(rules: &ScreenRules, screen: &ScreenText) {
    let reading = rules.read(screen);
    assert_eq!(reading.rule.is_none(), reading.activity == Activity::Unknown);
    if let Some(line) = reading.line {
        assert!((1..=screen.lines.len()).contains(&(line as usize)));
    }
    let Some(question) = reading.question else { return };
    let mut chosen: Vec<String> = question.question.options.iter().map(|option| option.id.clone()).collect();
    for answer in
        [Answer::Allow { message: None }, Answer::Deny { message: None }, Answer::Text { text: "x".to_owned() }]
    {
        let _ = question.keys_for(&answer);
    }
    while !chosen.is_empty() {
        let _ = question.keys_for(&Answer::Options { chosen: chosen.clone() });
        chosen.pop();
    }
}

static RULES: LazyLock<Vec<ScreenRules>> = LazyLock::new(|| AGENTS.iter().map(|(agent, _)| rules(agent)).collect());

/// Every line of every recorded screen.
static SCRAPS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let screens = AGENTS.iter().flat_map(|(_, directory)| screens(directory));
    screens.flat_map(|(_, screen)| screen.lines).collect()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_gives_some_reading(text in any::<String>(), title in any::<Option<String>>()) {
        for rules in RULES.iter() {
            survives(rules, &ScreenText { title: title.clone(), ..ScreenText::plain(&text) });
        }
    }

    /// Lines of real screens in any order, cut anywhere.
    #[test]
    fn scraps_of_screens_give_some_reading(
        picks in proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..120), 0..40),
    ) {
        let cut = |(pick, width): &(prop::sample::Index, usize)| pick.get(&SCRAPS).chars().take(*width).collect();
        let lines: Vec<String> = picks.iter().map(cut).collect();
        for rules in RULES.iter() {
            survives(rules, &ScreenText { lines: lines.clone(), ..ScreenText::default() });
        }
    }
}

#[test]
fn a_second_heading_in_a_wrapped_command_does_not_hide_what_stands_above_it() {
    let mut screen = recorded("claude/50-reader-permission-bash.txt");
    let rules = rules("claude_code");
    assert_eq!(rules.read(&screen).rule, Some("reader_permission"));
    let command = screen.lines.iter().position(|line| line.starts_with("> echo")).unwrap();
    let hidden =
        ["> rm -rf . # and so many words that the terminal begins another line", "Permission Required: Bash command"];
    screen.lines.splice(command..command, hidden.map(str::to_owned));
    assert_eq!(rules.read(&screen).activity, Activity::Unknown);
}
