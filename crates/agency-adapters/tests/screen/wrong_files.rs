//! A file of rules is understood whole or refused at its first mistake.

use std::path::Path;

use agency_adapters::screen::{ScreenRules, ScreenText};
use agency_model::{Activity, Answer};

const HEAD: &str = "version = \"1\"\n\n[[rules]]\nname = \"a\"\n";

fn refused(rule: &str) -> String {
    ScreenRules::parse(Path::new("mine.toml"), &format!("{HEAD}{rule}")).unwrap_err().to_string()
}

#[test]
fn mistakes_are_told_with_their_place() {
    let dialog = "activity = \"waiting_for_user\"\ntitle = \"x\"\n[rules.question]\nkind = \"other\"\n";
    let mistakes = [
        refused("activity = \"dancing\""),
        refused("activity = \"idle\"\nwen = []"),
        refused("activity = \"idle\"\nwhen = [{ all = ['/(/'] }]"),
        refused("activity = \"idle\"\nwhen = [{ all = [''] }]"),
        refused("activity = \"idle\"\nwhen = [{ where = { lats = 3 }, all = ['x'] }]"),
        refused("activity = \"idle\"\nwhen = [{ none = ['x'] }]"),
        refused("activity = \"unknown\"\ntitle = \"x\""),
        refused(&format!("{dialog}options = {{ style = \"round\" }}")),
        refused(&format!(
            "{dialog}options = {{ style = \"marked\", marker = \"❯\" }}\nanswers = {{ deny_keys = [\"esk\"] }}"
        )),
        refused(&format!("{}options = {{ style = \"numbered\" }}", dialog.replace("waiting_for_user", "idle"))),
        refused("activity = \"idle\"\ntitle = \"x\"\n[[rules]]\nname = \"a\"\nactivity = \"idle\"\ntitle = \"y\""),
        refused("activity = "),
    ];
    insta::assert_snapshot!(mistakes.join("\n"), @r#"
    mine.toml:5:12: unknown variant `dancing`, expected one of `setup`, `starting`, `thinking`, `writing`, `running_command`, `waiting_for_user`, `idle`, `unknown`
    mine.toml:6:1: unknown field `wen`, expected one of `name`, `activity`, `title`, `when`, `question`
    mine.toml:6:17: bad pattern: found open group without closing ')'
    mine.toml:6:17: expected words, or a pattern between slashes
    mine.toml:6:21: unknown field `lats`, expected one of `framed`, `above`, `from`, `below`, `last`
    mine.toml:3:1: the rule `a` would fit every screen: it needs a `title`, or `all` or `any`
    mine.toml:3:1: the rule `a` says `unknown`, which is what holds without a rule
    mine.toml:9:21: unknown variant `round`, expected one of `numbered`, `marked`, `buttons`, `keys`
    mine.toml:10:25: unknown key "esk": expected one character, or one of `enter`, `esc`, `tab`, `shift_tab`, `space`, `backspace`, `up`, `down`, `left`, `right`
    mine.toml:3:1: the rule `a` asks something, so its activity is `waiting_for_user`
    mine.toml:7:1: there are two rules `a`
    mine.toml:5:12: string values must be quoted, expected literal string
    "#);
}

#[test]
fn rules_of_an_own_agent_are_read() {
    let text = "
version = \"2.0\"

[[rules]]
name = \"overwrite\"
activity = \"waiting_for_user\"
when = [{ where = { last = 1 }, all = ['/\\[y\\/n\\]$/'] }]

[rules.question]
kind = \"permission\"
where = { last = 1 }

[rules.question.options]
style = \"keys\"
choices = [{ label = \"Yes\", keys = [\"y\", \"enter\"] }, { label = \"No\", keys = [\"n\", \"enter\"] }]

[rules.question.answers]
allow = [\"Yes\"]
deny = [\"No\"]
";
    let rules = ScreenRules::parse(Path::new("rules.toml"), text).unwrap();
    assert_eq!(rules.version(), "2.0");
    let reading = rules.read(&ScreenText::plain("hello\n\nOverwrite a.txt? [y/n]\n\n"));
    assert_eq!((reading.activity, reading.line), (Activity::WaitingForUser, Some(3)));
    let question = reading.question.unwrap();
    assert_eq!(question.question.title, "Overwrite a.txt? [y/n]");
    assert_eq!(question.keys_for(&Answer::Deny { message: None }).unwrap(), [b"n".to_vec(), b"\r".to_vec()]);
}
