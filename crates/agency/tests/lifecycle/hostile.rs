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

/// Gives git a program for the update of a submodule, in `.gitmodules` and in the repository's configuration.
fn submodule_planter(note: &Path) -> Agent {
    let note = note.display();
    Agent::new(format!(
        r#"
common=$(cd "$(git rev-parse --git-common-dir)" && pwd)
setting="[submodule \"x\"]
    path = x
    url = $common
    active = true
    update = !touch '{note}'"
echo "$setting" > .gitmodules
echo "$setting" >> "$common/config"
git add .gitmodules
git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),x
git commit -q -m linked
mkdir x
echo changed >> README.md
"#
    ))
}

#[test]
fn a_program_for_the_update_of_a_submodule_does_not_run() {
    let world = world();
    let repo = world.repo("project");
    let note = world.root().join("ran");
    world.agent("planter", submodule_planter(&note));
    let run = start(&world, &repo, "planter", &["--mode", "headless", "--host", "detached"]);
    let id = text(&run, "id");
    assert_eq!(end(&world, &run)["state"], "completed");
    assert_eq!(repo.git(&["config", "submodule.x.update"]).trim(), format!("!touch '{}'", note.display()));
    assert!(repo.git(&["ls-tree", &format!("agency/{id}")]).contains("160000 commit"), "the link is committed");
    let shown = world.json(&["show", id])["data"].take();
    assert!(shown.to_string().contains("README.md"), "{shown:#}");
    let diff = diff_of(&world, id);
    assert!(diff.contains("+changed") && diff.contains("+Subproject commit"), "{diff}");
    world.json(&["rm", "--dry-run", id]);
    untouched(&note, "show, diff and rm --dry-run");
    let removed = world.json(&["rm", id])["data"].take();
    untouched(&note, "rm");
    assert!(!Path::new(text(&run, "worktree_path")).exists());
    let saved = format!("{}:README.md", text(&removed, "saved_ref"));
    assert!(repo.git(&["cat-file", "-p", &saved]).contains("changed"));
    // The setting is alive: git follows it when a submodule is updated. In `.gitmodules` git takes it for damage.
    let own = world.root().join("own");
    let own = own.to_str().unwrap();
    repo.git(&["worktree", "add", "-q", own, &format!("agency/{id}")]);
    repo.git(&["-C", own, "config", "-f", ".gitmodules", "--unset", "submodule.x.update"]);
    repo.git(&["-C", own, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update"]);
    assert!(note.exists(), "git itself runs the program");
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

/// With `./node_modules/.bin` in the search path, git would find the program of a filter in the worktree.
#[test]
fn git_finds_no_program_by_a_relative_search_path() {
    let mut world = world();
    let search_path = std::env::var("PATH").unwrap();
    world.set_variable("PATH", &format!("./node_modules/.bin:{search_path}"));
    let repo = world.repo("project");
    repo.git(&["config", "filter.x.clean", "sed s/changed/filtered/"]);
    let note = world.root().join("ran");
    let script = format!(
        "mkdir -p node_modules/.bin; printf '#!/bin/sh\\necho ran >> \"{}\"\\ncat\\n' > node_modules/.bin/sed; \
         chmod +x node_modules/.bin/sed; echo '* filter=x' > .gitattributes; echo changed >> README.md",
        note.display()
    );
    world.agent("planter", Agent::new(script));
    let run = start(&world, &repo, "planter", &["--mode", "headless", "--host", "detached"]);
    let id = text(&run, "id");
    assert_eq!(end(&world, &run)["state"], "completed");
    let diff = world.agency(&["diff", id]);
    assert!(diff.stdout.contains("+filtered"), "{}", diff.stdout);
    let removed = world.json(&["rm", id])["data"].take();
    let saved = format!("{}:README.md", text(&removed, "saved_ref"));
    assert!(repo.git(&["cat-file", "-p", &saved]).contains("filtered"));
    untouched(&note, "diff or rm");
}
