//! Runs that are asked for in the worktree of another run, and rows that were recorded there.

use std::fs;
use std::path::{Path, PathBuf};

use agency_model::ErrorCode;
use agency_testkit::agent::{self, Agent};
use agency_testkit::{Repo, World};
use rusqlite::Connection;
use serde_json::Value;

use super::{end, start, text, world};

const HEADLESS: [&str; 4] = ["--mode", "headless", "--host", "detached"];

/// Commits a file, and gives git a program wherever it would start one in the worktree.
fn planter(note: &Path) -> Agent {
    let note = note.display();
    Agent::new(format!(
        r#"
admin=$(git rev-parse --absolute-git-dir)
echo work > work.txt; git add work.txt; git commit -q -m work
mkdir -p hooks deep/down
printf '#!/bin/sh\necho ran "$0" "$@" >> "{note}"\ncat\n' > planted; chmod +x planted
cp planted hooks/post-checkout; cp planted hooks/reference-transaction; cp planted hooks/post-index-change
git init -q evrepo; git -C evrepo commit -q --allow-empty -m x
config="[core]
    fsmonitor = $PWD/planted
    hooksPath = $PWD/hooks
[filter \"x\"]
    clean = $PWD/planted
    smudge = $PWD/planted"
echo "$config" >> evrepo/.git/config
echo '* filter=x' > evrepo/.gitattributes
echo '* filter=x' > .gitattributes
echo changed >> README.md
echo "$config" >> "$admin/config.worktree"
rm -f "{note}"
"#
    ))
}

struct Place {
    world: World,
    repo: Repo,
    note: PathBuf,
    /// The run of the agent that planted programs.
    parent: Value,
}

impl Place {
    /// The worktree of a run that has ended, in a repository with settings for each worktree.
    fn planted() -> Self {
        let world = world();
        let repo = world.repo("project");
        repo.git(&["config", "extensions.worktreeConfig", "true"]);
        let note = world.root().join("ran");
        world.agent("planter", planter(&note));
        world.agent("quiet", agent::quiet());
        world.agent("writer", Agent::new("echo kid > kid.txt"));
        let parent = start(&world, &repo, "planter", &HEADLESS);
        assert_eq!(end(&world, &parent)["state"], "completed");
        Self { world, repo, note, parent }
    }

    fn worktree(&self) -> PathBuf {
        text(&self.parent, "worktree_path").into()
    }

    /// Starts a run where `directory` is, without `--repo`.
    fn run_in(&self, directory: &Path, runner: &str, further: &[&str]) -> Value {
        let arguments = [&["run", "--json", "--runner", runner, "--prompt", "do it"], &HEADLESS[..], further].concat();
        let output = self.world.run(self.world.command(&arguments).current_dir(directory));
        assert!(output.stdout.contains("\"ok\":true"), "{output}");
        output.object()["data"].take()
    }

    #[track_caller]
    fn untouched(&self, when: &str) {
        assert!(!self.note.exists(), "{when}: {}", fs::read_to_string(&self.note).unwrap_or_default());
    }

    /// Records another repository for a run, as earlier versions did.
    fn record(&self, run: &Value, repository: &Path) {
        let database = Connection::open(self.world.agency_home().join("agency.db")).unwrap();
        let path = repository.to_str().unwrap();
        database.execute("UPDATE runs SET repo_path = ?1 WHERE id = ?2", [path, text(run, "id")]).unwrap();
    }
}

// section 2: nothing that an agent wrote runs in the user's name
#[test]
fn a_run_asked_for_in_the_worktree_of_a_run_obeys_nothing_that_its_agent_wrote() {
    let place = Place::planted();
    let worktree = place.worktree();
    let tip = place.repo.git(&["rev-parse", &format!("agency/{}", text(&place.parent, "id"))]);
    let planned = place.run_in(&worktree, "quiet", &["--dry-run"]);
    place.untouched("run --dry-run");
    assert_eq!(text(&planned["would_create"], "base_commit"), tip);
    assert_eq!(Path::new(text(&planned["spec"], "repo")), place.repo.path);
    assert!(planned["warnings"].to_string().contains("README.md"), "{planned:#}");
    let kid = place.run_in(&worktree.join("deep/down"), "quiet", &["--base", "HEAD~1"]);
    place.untouched("run in a directory of the worktree");
    assert_eq!(text(&kid, "base_commit"), place.repo.git(&["rev-parse", "main"]));
    assert_eq!(end(&place.world, &kid)["state"], "completed");
    let path = worktree.to_str().unwrap();
    let kid = place.run_in(place.world.root(), "writer", &["--repo", path, "--include-changes"]);
    place.untouched("run --include-changes --repo");
    assert_eq!(end(&place.world, &kid)["state"], "completed");
    let own = Path::new(text(&kid, "worktree_path"));
    assert!(fs::read_to_string(own.join("README.md")).unwrap().contains("changed"));
    assert_eq!(fs::read_to_string(own.join("work.txt")).unwrap(), "work\n");
    assert_eq!(Path::new(text(&kid, "repo")), place.repo.path);
    let refused = place.world.error(
        &["run", "--repo", path, "--runner", "quiet", "--prompt", "x", "--workspace", "none"],
        ErrorCode::InvalidSpec,
    );
    assert!(refused.to_string().contains("worktree of a run"), "{refused:#}");
    place.untouched("run --workspace none");
}

#[test]
fn a_repository_that_an_agent_made_is_refused_and_no_command_is_named_for_it() {
    let place = Place::planted();
    let worktree = place.worktree();
    let refuse = |directory: &Path| {
        let path = directory.to_str().unwrap();
        let arguments = ["run", "--repo", path, "--runner", "quiet", "--prompt", "x", "--dry-run"];
        let refused = place.world.error(&arguments, ErrorCode::NotGitRepo).to_string();
        assert!(!refused.contains("git -C") && refused.contains("--repo"), "{refused}");
        place.untouched("a refused run");
    };
    refuse(&worktree.join("evrepo"));
    // In the place of the worktree's own link.
    fs::remove_file(worktree.join(".git")).unwrap();
    place.repo.git(&["init", "-q", worktree.to_str().unwrap()]);
    refuse(&worktree);
    refuse(&worktree.join("deep"));
}

#[test]
fn a_run_that_was_recorded_in_a_repository_of_an_agent_lets_no_git_run_there() {
    let place = Place::planted();
    let child = start(&place.world, &place.repo, "writer", &HEADLESS);
    end(&place.world, &child);
    let (id, evrepo) = (text(&child, "id"), place.worktree().join("evrepo"));
    place.record(&child, &evrepo);
    place.world.ok(&["show", id]);
    place.untouched("show");
    let refused = place.world.error(&["diff", id], ErrorCode::NotGitRepo);
    assert!(refused.to_string().contains("lies in the worktree of a run"), "{refused:#}");
    place.world.ok(&["rm", "--all-finished", "--dry-run"]);
    place.untouched("diff and rm --dry-run");
    let refused = place.world.error(&["rm", id], ErrorCode::CleanupFailed);
    assert!(refused.to_string().contains("agency rm --force"), "{refused:#}");
    place.world.agency(&["restore", id]);
    place.world.agency(&["restore", "--repo", evrepo.to_str().unwrap(), id]);
    place.world.agency(&["resume", id, "--prompt", "x"]);
    place.world.agency(&["ls", "--repo", evrepo.to_str().unwrap()]);
    place.world.ok(&["reconcile"]);
    place.world.ok(&["rm", "--force", id]);
    place.untouched("rm, restore, resume, ls and rm --force");
    let kept = place.world.agency_home().join("kept").join(id).join("worktree/kid.txt");
    assert_eq!(fs::read_to_string(kept).unwrap(), "kid\n");
}

#[test]
fn a_run_started_in_a_worktree_that_is_gone_is_compared_and_restored() {
    let place = Place::planted();
    let new = place.run_in(&place.worktree(), "writer", &[]);
    let old = place.run_in(&place.worktree(), "writer", &[]);
    for kid in [&new, &old] {
        assert_eq!(end(&place.world, kid)["state"], "completed");
    }
    place.record(&old, &place.worktree());
    place.world.ok(&["rm", "--force", text(&place.parent, "id")]);
    for kid in [&new, &old] {
        let id = text(kid, "id");
        let diff = place.world.ok(&["diff", id]).stdout.clone();
        assert!(diff.contains("+kid"), "{diff}");
        let removed = place.world.json(&["rm", id])["data"].take();
        assert!(text(&removed, "saved_ref").ends_with(id));
        let refused = place.world.error(&["diff", id], ErrorCode::InvalidState).to_string();
        assert!(refused.contains(&format!("git -C {}", place.repo.path.display())), "{refused}");
        let restored = place.world.json(&["restore", id])["data"].take();
        assert_eq!(Path::new(text(&restored, "repo")), place.repo.path);
        assert_eq!(place.repo.git(&["show", &format!("{}:kid.txt", text(&restored, "branch"))]), "kid");
    }
    place.untouched("all of it");
}
