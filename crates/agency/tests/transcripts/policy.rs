//! `policy` and its commands.

use super::{Console, sees};

#[test]
fn policy() {
    let console = Console::new();
    console.repo.write("rules.toml", "[[approval_policy]]\naction = \"allow\"\ntool = \"Bash\"\n");
    console.repo.write("wrong.toml", "[[approval_policy]]\naction = \"alow\"\n");
    sees!(console, ["policy", "check", "rules.toml"], @r"
    $ agency policy check rules.toml
      1  -  allow tool `Bash`
    rules.toml: 1 rules, no mistakes
    ");
    sees!(console, ["policy", "test", "rules.toml"], @r"
    $ agency policy test rules.toml
    0 permissions: 0 allowed, 0 denied, 0 asked
    changes: 0 answered without you, 0 previously unanswered, 0 answered differently, 0 newly asked
    ");
    sees!(console, ["policy", "check", "wrong.toml"], @r#"
    $ agency policy check wrong.toml
    error [E_INVALID_CONFIG]: wrong.toml:2:10: `approval_policy[0].action`: "alow" is not an action: did you mean `allow`?
    hint: agency schema policy prints the shape of rules
    [exit status: 2]
    "#);
    sees!(console, ["policy", "check", "nothing.toml"], @r"
    $ agency policy check nothing.toml
    error [E_INVALID_CONFIG]: nothing.toml: the command line names this file, but it does not exist
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
    sees!(console, ["policy", "test", "wrong.toml"], @r#"
    $ agency policy test wrong.toml
    error [E_INVALID_CONFIG]: wrong.toml:2:10: `approval_policy[0].action`: "alow" is not an action: did you mean `allow`?
    hint: agency schema policy prints the shape of rules
    [exit status: 2]
    "#);
    sees!(console, ["policy", "test", "nothing.toml"], @r"
    $ agency policy test nothing.toml
    error [E_INVALID_CONFIG]: nothing.toml: the command line names this file, but it does not exist
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}
