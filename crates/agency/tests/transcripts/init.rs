//! `init`.

use super::{Console, sees};

#[test]
fn init() {
    let console = Console::new();
    sees!(console, ["init"], @r#"
    $ agency init
    wrote .agency/workflows/implement-test-merge.yaml
    wrote .agency/workflows/parallel-review.yaml
    wrote .agency/spells/implement.md
    wrote .agency/spells/fix.md
    wrote .agency/spells/review.md
    wrote .agency/spells/house-style.md
    wrote .agency/system-prompt.md
    wrote .agency/project.toml
    agency workflow validate checks them; edit run-tests in implement-test-merge.yaml first
    Branches of runs are named agency/<run_id>. To name them by what is done, write into {world}/home/config.toml:
      branch_template = "agency/{name}"  # also {date}, {agent} and {id}
    "#);
    sees!(console, ["init"], @r#"
    $ agency init
    kept  .agency/workflows/implement-test-merge.yaml
    kept  .agency/workflows/parallel-review.yaml
    kept  .agency/spells/implement.md
    kept  .agency/spells/fix.md
    kept  .agency/spells/review.md
    kept  .agency/spells/house-style.md
    kept  .agency/system-prompt.md
    kept  .agency/project.toml
    agency workflow validate checks them; edit run-tests in implement-test-merge.yaml first
    Branches of runs are named agency/<run_id>. To name them by what is done, write into {world}/home/config.toml:
      branch_template = "agency/{name}"  # also {date}, {agent} and {id}
    "#);
    sees!(console, ["init", "here"], @r#"
    $ agency init here
    wrote .agency/workflows/implement-test-merge.yaml
    wrote .agency/workflows/parallel-review.yaml
    wrote .agency/spells/implement.md
    wrote .agency/spells/fix.md
    wrote .agency/spells/review.md
    wrote .agency/spells/house-style.md
    wrote .agency/system-prompt.md
    wrote .agency/project.toml
    agency workflow validate checks them; edit run-tests in implement-test-merge.yaml first
    Branches of runs are named agency/<run_id>. To name them by what is done, write into {world}/home/config.toml:
      branch_template = "agency/{name}"  # also {date}, {agent} and {id}
    "#);
    console.repo.write("file", "");
    sees!(console, ["init", "file"], @r"
    $ agency init file
    error [E_IO]: file/.agency/workflows: cannot be made: Not a directory (os error 20)
    [exit status: 1]
    ");
    sees!(console, ["init", "--nothing"], @r"
    $ agency init --nothing
    error: unexpected argument '--nothing' found

      tip: to pass '--nothing' as a value, use '-- --nothing'

    Usage: agency init [OPTIONS] [DIRECTORY]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}
