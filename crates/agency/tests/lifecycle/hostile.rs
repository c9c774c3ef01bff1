//! What an agent leaves for git to run is not run by agency.

use std::path::Path;

use agency_testkit::World;
use agency_testkit::agent::Agent;

use super::{end, start, text, world};

/// Plants a program wherever git would start one for the worktree, for a repository inside it and for a link to it.
fn planter(note: &Path) -> Agent {
    let note = note.display();
    Agent::new(format!(
        r#"
admin=$(git rev-parse --absolute-git-dir)
printf '#!/bin/sh\necho ran "$@" >> "{note}"\ncat\n' > planted; chmod +x planted
config="[core]
    fsmonitor = $PWD/planted
[filter \"x\"]
    clean = $PWD/planted
[diff \"x\"]
    textconv = $PWD/planted
    command = $PWD/planted"
for sub in sub linked; do
    git init -q $sub; echo x > $sub/file
    git -C $sub commit -q --allow-empty -m x
    echo '* filter=x' > $sub/.gitattributes
    echo "$config" >> $sub/.git/config
done
git update-index --add --cacheinfo 160000,$(cat linked/.git/refs/heads/*),linked
git commit -q -m linked
echo '* filter=x diff=x' > .gitattributes
echo changed >> README.md
echo "$config" >> "$admin/config.worktree"
rm -f "{note}"
"#
    ))
}

/// The run ends, and is shown, compared and removed, without any planted program being started.
#[test]
fn nothing_that_the_agent_planted_for_git_runs() {
    let world = world();
    let repo = world.repo("project");
    repo.git(&["config", "extensions.worktreeConfig", "true"]);
    let note = world.root().join("ran");
    world.agent("planter", planter(&note));
    let run = start(&world, &repo, "planter", &["--mode", "headless", "--host", "detached"]);
    let id = text(&run, "id");
    assert_eq!(end(&world, &run)["state"], "completed");
    untouched(&note, "the end of the run");
    let shown = world.json(&["show", id])["data"].take();
    assert!(shown.to_string().contains("README.md"), "{shown:#}");
    untouched(&note, "show");
    let diff = world.agency(&["diff", id]);
    assert!(diff.stdout.contains("+changed"), "{}", diff.stdout);
    untouched(&note, "diff");
    world.json(&["rm", "--dry-run", id]);
    untouched(&note, "rm --dry-run");
    let refused = world.agency(&["rm", id]);
    assert!(!refused.stderr.is_empty(), "the repositories inside are named");
    untouched(&note, "rm");
    let removed = world.json(&["rm", "--force", id])["data"].take();
    untouched(&note, "rm --force");
    let saved = format!("{}:README.md", text(&removed, "saved_ref"));
    assert!(repo.git(&["cat-file", "-p", &saved]).contains("changed"));
}

/// Filters of the user's own configuration run, as LFS needs it.
#[test]
fn a_filter_of_the_users_configuration_runs() {
    let world = world();
    let repo = world.repo("project");
    repo.git(&["config", "--global", "filter.up.clean", "tr a-z A-Z"]);
    world.agent("writer", Agent::new("echo '*.txt filter=up' > .gitattributes; echo words > new.txt"));
    let run = start(&world, &repo, "writer", &["--mode", "headless", "--host", "detached"]);
    end(&world, &run);
    let diff = diff_of(&world, text(&run, "id"));
    assert!(diff.contains("+WORDS"), "{diff}");
    let removed = world.json(&["rm", text(&run, "id")])["data"].take();
    assert_eq!(repo.git(&["cat-file", "-p", &format!("{}:new.txt", text(&removed, "saved_ref"))]).trim(), "WORDS");
}

fn diff_of(world: &World, id: &str) -> String {
    world.agency(&["diff", id]).stdout.clone()
}

#[track_caller]
fn untouched(note: &Path, when: &str) {
    assert!(!note.exists(), "{when}: {}", std::fs::read_to_string(note).unwrap_or_default());
}
