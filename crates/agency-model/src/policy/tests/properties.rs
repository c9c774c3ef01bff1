//! What holds for any question.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Action, bash, decide, git_status, mistakes_in, permission, policy};

/// A line in which everything outside of quotes is cut out, by the simplest reading there is.
fn outside_of_quotes(line: &str) -> String {
    let mut open = None;
    let mut outside = String::new();
    for letter in line.chars() {
        match open {
            Some(quote) if quote == letter => open = None,
            Some(_) => {}
            None if matches!(letter, '\'' | '"') => open = Some(letter),
            None => outside.push(letter),
        }
    }
    outside
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), ".{0,12}".prop_map(Value::from)];
    let key = prop_oneof![Just("command".to_owned()), Just("file_path".to_owned()), Just("cwd".to_owned()), ".{0,6}"];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(key.clone(), inner, 0..4).prop_map(|map| map.into_iter().collect::<Value>()),
        ]
    })
}

proptest! {
    #[test]
    fn no_question_is_too_strange(input in json_value(), rules in json_value(), tool in ".{0,8}") {
        let _ = mistakes_in(&rules);
        let policy = policy(json!([
            { "action": "deny", "path": "outside" }, { "action": "ask", "command": "a * b" }, { "action": "allow", "command": ["a"] },
            { "action": "allow", "path": "**" },
        ]));
        let _ = decide(&policy, &permission(&tool, input));
    }

    #[test]
    fn whatever_follows_an_allowed_command_is_allowed_only_if_each_part_is(rest in "[ a-z$`;&|<>(){}'\"\\\\\n#=~*!-]{0,24}") {
        let line = format!("git status{rest}");
        if bash(&git_status(), &line) == Action::Allow {
            let outside = outside_of_quotes(&line);
            prop_assert!(!outside.trim_end().contains(['$', '`', '<', '>', '(', ')', '{', '}', '\\', '\n', '#', '*', '!']), "{}", line);
            prop_assert!(!outside.replace("&&", "").contains('&'), "{}", line);
            for part in outside.split([';', '|', '&']).filter(|part| !part.is_empty()) {
                prop_assert!(part.trim_start().starts_with("git status"), "{}", line);
            }
        }
    }

    #[test]
    fn no_operator_brings_in_another_command(
        operator in prop::sample::select(vec![";", "&&", "||", "|", "&", "|&", "\n", "$(", "`", "<(", ">", ">>", "&>", "\r\n", ";;", "\\\n;"]),
        space in "[ \t]{0,2}",
        command in "[b-f][a-z]{0,8}( [a-z./-]{0,9})?",
        close in "[ )`}]{0,2}",
        wrap in any::<bool>(),
    ) {
        let line = format!("git status{space}{operator}{space}{command}{close}");
        let line = if wrap { format!("/bin/bash -lc '{line}'") } else { line };
        prop_assert_eq!(bash(&git_status(), &line), Action::Ask, "{}", line);
    }

    #[test]
    fn a_path_with_enough_steps_up_is_never_inside(parts in prop::collection::vec("[a-z]{1,3}|[.]{1,2}|out", 0..6), depth in 7..9usize) {
        let policy = policy(json!([{ "action": "allow", "path": "inside" }]));
        let up = vec![".."; depth].join("/");
        let path = format!("{}/{up}/etc/x", parts.join("/"));
        let decided = decide(&policy, &permission("Write", json!({ "file_path": path.trim_start_matches('/') }))).0;
        prop_assert_eq!(decided, Action::Ask, "{}", path);
    }

    #[test]
    fn no_name_hides_a_path_from_a_deny(name in "[a-z_]{1,12}", rest in "[a-z]{1,6}(/[a-z]{1,6}){0,2}", nested in 0..3usize) {
        let hidden = (0..nested).fold(json!(format!(".git/{rest}")), |inner, _| json!([{ name.as_str(): inner }]));
        let policy = policy(json!([{ "action": "deny", "path": ".git/**" }, { "action": "allow", "path": "inside" }]));
        // Under these names there is a text, one of a few words, or the directory that the tool works in.
        let others = "command|cmd|content|contents|text|diff|prompt|plan|query|message|title|reason|cwd|workdir|directory";
        let endings = ["type", "kind", "mode", "format", "encoding", "language", "id"];
        let plain = name.replace('_', "");
        prop_assume!(!others.split('|').any(|other| other == plain) && !endings.iter().any(|end| plain.ends_with(end)));
        let decided = decide(&policy, &permission("move", json!({ "file_path": "a", name.as_str(): hidden }))).0;
        prop_assert_eq!(decided, Action::Deny, "{}", name);
    }
}
