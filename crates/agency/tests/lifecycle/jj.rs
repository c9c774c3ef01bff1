//! Runs in workspaces of a real jj.

use std::fs;
use std::path::Path;

use agency_model::ErrorCode;
use agency_testkit::agent::{self, Agent};
use agency_testkit::{JjKind, Repo, World, conversation};
use serde_json::Value;

use super::{end, start, text};

const HEADLESS: [&str; 4] = ["--host", "detached", "--mode", "headless"];

fn world() -> World {
    World::with_jj(Path::new(env!("CARGO_BIN_EXE_agency")))
}

/// An agent that changes two files.
fn busy() -> Agent {
    Agent::new("echo fresh > new.txt; echo changed >> README.md; mkdir -p target; echo x > target/made")
}

fn operation(repo: &Repo) -> String {
    repo.jj(&["--ignore-working-copy", "operation", "log", "--no-graph", "--limit", "1", "-T", "id"])
}

// proves P10, L17
#[test]
fn an_agent_works_on_a_revision_of_its_own_and_its_work_comes_back() {
    let world = world();
    world.agent("busy", busy());
    for kind in JjKind::ALL {
        let repo = world.jj_repo(&format!("{kind:?}"), kind);
        repo.write("mine.txt", "not committed\n");
        let run = start(&world, &repo, "busy", &HEADLESS);
        let (id, worktree) = (text(&run, "id").to_owned(), text(&run, "worktree_path").to_owned());
        assert_eq!((&run["vcs"], &run["new_branch"]), (&"jj".into(), &format!("agency/{id}").into()));
        let ended = end(&world, &run);
        assert_eq!(ended["state"], "completed", "{kind:?}: {ended:#}");
        // The agent sees what its user sees, and the user's revision stays.
        let own = repo.jj_commits("default@");
        assert_eq!(own, [text(&run, "base_commit")]);
        assert_eq!(fs::read_to_string(Path::new(&worktree).join("mine.txt")).unwrap(), "not committed\n");
        assert!(repo.workspaces().contains(&format!("agency-{id}")));

        // Looking leaves no operation.
        let before = operation(&repo);
        let diff = world.json(&["diff", &id])["data"]["diff"].to_string();
        assert!(diff.contains("+fresh") && !diff.contains("mine.txt") && !diff.contains(".jj"), "{diff}");
        let shown = world.json(&["show", &id])["data"].take();
        let files: Vec<&str> =
            shown["changed_files"].as_array().unwrap().iter().map(|file| text(file, "path")).collect();
        assert_eq!(files, ["README.md", "new.txt"]);
        assert_eq!(shown["spec"]["vcs"], "jj");
        let planned = world.json(&["rm", "--dry-run", &id])["data"]["notes"].to_string();
        assert!(
            planned.contains(&format!("bookmark agency/{id}")) && planned.contains("not saved: target"),
            "{planned}"
        );
        assert_eq!(operation(&repo), before);

        let removed = world.json(&["rm", &id])["data"].take();
        assert_eq!(removed["saved_ref"], format!("agency/{id}"), "{removed:#}");
        assert!(!Path::new(&worktree).exists());
        assert_eq!(repo.workspaces(), ["default"]);
        assert_eq!(repo.jj_commits("default@"), own);
        assert_eq!(repo.jj_file(&format!("agency/{id}"), "new.txt"), "fresh");
        let again = world.json(&["rm", &id])["data"].take();
        assert_eq!(again["saved_ref"], removed["saved_ref"]);

        let restored = world.json(&["restore", &id, "--branch", "mine"])["data"].take();
        assert_eq!(repo.jj_commits("mine"), [text(&restored, "commit")]);
        let error = world.error(&["diff", &id], ErrorCode::InvalidState);
        assert!(text(&error, "hint").contains("jj -R"), "{error:#}");
    }
}

/// A run that is asked for in the workspace of another one begins with what jj has taken in there, in the user's
/// repository.
#[test]
fn a_run_asked_for_in_the_workspace_of_a_run_begins_with_its_work() {
    let world = world();
    world.agent(
        "parent",
        Agent::new("echo fresh > new.txt; mkdir deep; echo x > deep/x; jj status; echo later > later.txt"),
    );
    world.agent("kid", Agent::new("cat new.txt deep/x; echo kid > kid.txt"));
    for kind in JjKind::ALL {
        let repo = world.jj_repo(&format!("{kind:?}"), kind);
        let parent = start(&world, &repo, "parent", &HEADLESS);
        assert_eq!(end(&world, &parent)["state"], "completed", "{kind:?}");
        let worktree = Path::new(text(&parent, "worktree_path"));
        let ask = |further: &[&str]| {
            let arguments = [&["run", "--json", "--runner", "kid", "--prompt", "x"], &HEADLESS[..], further].concat();
            world.run(world.command(&arguments).current_dir(worktree.join("deep"))).object()
        };
        let kid = ask(&[])["data"].take();
        assert_eq!((&kid["vcs"], &kid["repo"]), (&"jj".into(), &parent["repo"]), "{kid:#}");
        let ended = end(&world, &kid);
        assert_eq!(ended["state"], "completed", "{kind:?}: {ended:#}");
        let work = repo.jj_commits(&format!("agency-{}@", text(&parent, "id")));
        assert_eq!(work, [text(&kid, "base_commit")]);
        let own = Path::new(text(&kid, "worktree_path"));
        assert_eq!(fs::read_to_string(own.join("new.txt")).unwrap(), "fresh\n");
        let diff = world.agency(&["diff", text(&kid, "id")]).stdout.clone();
        assert!(diff.contains("+kid") && !diff.contains("new.txt"), "{diff}");
        // What comes before the work, by the name that it has in that workspace.
        let kid = ask(&["--base", "@-"])["data"].take();
        assert_eq!(repo.jj_commits(&format!("{}-", work[0])), [text(&kid, "base_commit")]);
        end(&world, &kid);
        for (further, field) in [(["--vcs", "git"], "vcs"), (["--workspace", "none"], "workspace")] {
            let refused = ask(&further);
            assert_eq!(refused["error"]["code"], ErrorCode::InvalidSpec.as_str(), "{field}: {refused:#}");
            assert!(!refused["error"]["hint"].is_null(), "{field}: {refused:#}");
        }
    }
}

// proves P10
#[test]
fn an_agent_that_did_nothing_leaves_nothing() {
    let world = world();
    world.agent("quiet", agent::quiet());
    for kind in JjKind::ALL {
        let repo = world.jj_repo(&format!("{kind:?}"), kind);
        let run = start(&world, &repo, "quiet", &HEADLESS);
        end(&world, &run);
        let removed = world.json(&["rm", text(&run, "id")])["data"].take();
        assert_eq!((&removed["saved_ref"], &removed["branch"]), (&Value::Null, &Value::Null), "{removed:#}");
        assert_eq!(repo.jj_commits("all()").len(), 3, "{kind:?}");
        world.error(&["restore", text(&run, "id")], ErrorCode::NothingSaved);
    }
}

// proves P10
#[test]
fn an_agent_that_cannot_start_leaves_no_workspace() {
    let world = world();
    let program = world.agent("broken", agent::quiet());
    fs::write(&program, "#!/nowhere/at/all\n").unwrap();
    for kind in JjKind::ALL {
        let repo = world.jj_repo(&format!("{kind:?}"), kind);
        let path = repo.path.to_str().unwrap();
        let arguments = [&["run", "--repo", path, "--runner", "broken", "--prompt", "x"], &HEADLESS[..]].concat();
        world.error(&arguments, ErrorCode::RunnerNotConfigured);
        assert_eq!(repo.workspaces(), ["default"], "{kind:?}");
        assert_eq!(repo.jj_commits("all()").len(), 3);
        assert!(!repo.path.join(".git/worktrees").is_dir() || repo.worktrees().len() == 1);
    }
}

// proves P10
#[test]
fn what_is_asked_for_is_used() {
    let world = world();
    world.agent("quiet", agent::quiet());
    let repo = world.jj_repo("both", JjKind::Colocated);
    repo.jj(&["bookmark", "create", "start", "-r", "@-"]);
    for (more, vcs) in
        [(&["--vcs", "git"][..], "git"), (&["--vcs", "jj"], "jj"), (&["--base", "start"], "jj"), (&[], "jj")]
    {
        let run = start(&world, &repo, "quiet", &[more, &HEADLESS].concat());
        assert_eq!(run["vcs"], vcs, "{more:?}: {run:#}");
        end(&world, &run);
        world.ok(&["rm", text(&run, "id")]);
    }
    world.set("vcs", "\"git\"");
    let run = start(&world, &repo, "quiet", &HEADLESS);
    assert_eq!(run["vcs"], "git");
    end(&world, &run);
}

// proves P10
#[test]
fn a_bookmark_of_ones_own_name_keeps_the_work() {
    let world = world();
    world.agent("busy", busy());
    let repo = world.jj_repo("alone", JjKind::Alone);
    let run = start(&world, &repo, "busy", &[&["--branch", "topic"], &HEADLESS[..]].concat());
    end(&world, &run);
    let id = text(&run, "id");
    let error = world.error(&["rm", "--delete-branch", id], ErrorCode::Usage);
    assert!(text(&error, "message").contains("jj bookmark delete topic"), "{error:#}");
    assert_eq!(world.json(&["rm", id])["data"]["saved_ref"], "topic");
    assert_eq!(repo.jj_file("topic", "new.txt"), "fresh");
    let path = repo.path.to_str().unwrap();
    let taken = ["run", "--repo", path, "--runner", "busy", "--prompt", "x", "--branch", "topic"];
    world.error(&taken, ErrorCode::BranchExists);
}

// proves P10
#[test]
fn a_conversation_goes_on_in_the_same_workspace_which_is_up_to_date() {
    let world = world();
    world.agent("brief", conversation::brief());
    for kind in JjKind::ALL {
        let repo = world.jj_repo(&format!("{kind:?}"), kind);
        let run = start(&world, &repo, "brief", &HEADLESS);
        end(&world, &run);
        let first = text(&run, "id");
        let worktree = Path::new(text(&run, "worktree_path"));
        fs::write(worktree.join("unseen.txt"), "unseen\n").unwrap();
        // The user goes on below it.
        repo.write("README.md", "# Mine\n");
        repo.jj(&["status"]);
        let next = world.json(&["resume", first, "--prompt", "more"])["data"].take();
        assert_eq!((&next["worktree_path"], &next["vcs"]), (&run["worktree_path"], &"jj".into()), "{kind:?}: {next:#}");
        assert_eq!(end(&world, &next)["state"], "completed");
        assert_eq!(fs::read_to_string(worktree.join("README.md")).unwrap(), "# Mine\n");
        assert_eq!(fs::read_to_string(worktree.join("unseen.txt")).unwrap(), "unseen\n");
        // The last of them removes it.
        world.ok(&["rm", first]);
        assert!(worktree.exists());
        let removed = world.json(&["rm", text(&next, "id")])["data"].take();
        assert_eq!(removed["saved_ref"], format!("agency/{first}"), "{removed:#}");
        assert_eq!(repo.jj_file(&format!("agency/{first}"), "unseen.txt"), "unseen");
        assert_eq!(repo.workspaces(), ["default"]);
    }
}

// proves P10
#[test]
fn the_next_attempt_finds_its_files_and_a_workspace_that_is_up_to_date() {
    let world = world();
    for kind in JjKind::ALL {
        let repo = world.jj_repo(&format!("{kind:?}"), kind);
        let script = format!(
            "if [ -e work.txt ]; then jj status && grep -q goes-on README.md; exit; fi\n\
             echo written > work.txt; echo goes-on > '{0}/README.md'; jj -R '{0}' status >&2; exit 1",
            repo.path.display()
        );
        let name = format!("fragile{kind:?}").to_lowercase();
        world.agent(&name, Agent::new(script));
        let run = start(&world, &repo, &name, &[&["--restart", "on-crash"], &HEADLESS[..]].concat());
        let ended = end(&world, &run);
        assert_eq!((&ended["state"], &ended["attempt"]), (&"completed".into(), &2.into()), "{kind:?}: {ended:#}");
        let id = text(&run, "id");
        world.ok(&["rm", id]);
        assert_eq!(repo.jj_file(&format!("agency/{id}"), "work.txt"), "written");
    }
}

#[cfg(feature = "fault-points")]
fn killed_at(world: &World, mut command: std::process::Command, point: &str) {
    let witness = world.root().join(format!("witness-{point}"));
    command.env("AGENCY_FAULT_POINT", point).env("AGENCY_FAULT_WITNESS", &witness);
    world.run(&mut command);
    assert_eq!(fs::read_to_string(&witness).unwrap(), format!("{point}\n"));
    fs::remove_file(&witness).unwrap();
}

// proves P10, L21, L22
#[cfg(feature = "fault-points")]
#[test]
fn nothing_is_lost_or_left_when_a_process_is_killed_at_any_step() {
    let world = world();
    world.agent("busy", busy());
    for kind in JjKind::ALL {
        let repo = world.jj_repo(&format!("{kind:?}"), kind);
        killed_at(&world, world.run_command(&repo, "busy", &HEADLESS), "jj.added");
        let dead = world.runs().pop().unwrap();
        assert_eq!(world.show(&dead)["error"], "E_RUNNER_DISAPPEARED", "{:#}", world.show(&dead));
        world.ok(&["rm", &dead.id]);
        assert_eq!(repo.workspaces(), ["default"]);
        assert_eq!(repo.jj_commits("all()").len(), 3);
        for point in ["jj.copied", "jj.saved", "jj.trashed", "jj.forgotten"] {
            let run = world.begin(&repo, "busy", &HEADLESS);
            world.ended(&run);
            run.wait_until_unsupervised();
            killed_at(&world, world.command(&["rm", &run.id]), point);
            let removed = world.json(&["rm", &run.id])["data"].take();
            assert_eq!(removed["saved_ref"], format!("agency/{}", run.id), "{kind:?} {point}: {removed:#}");
            assert_eq!(repo.jj_file(&format!("agency/{}", run.id), "new.txt"), "fresh");
            assert_eq!(repo.workspaces(), ["default"]);
        }
    }
}

// proves P10
#[test]
fn several_runs_start_at_once_in_one_repository() {
    let world = world();
    world.agent("busy", busy());
    let repo = world.jj_repo("both", JjKind::Colocated);
    repo.write("mine.txt", "not committed\n");
    let mut started: Vec<_> = (0..4)
        .map(|_| world.start(&mut world.run_command(&repo, "busy", &[&HEADLESS[..], &["--wait"]].concat())))
        .collect();
    for run in started.drain(..) {
        let output = run.wait();
        assert!(output.status.success(), "{output}");
    }
    for run in world.runs() {
        world.ok(&["rm", &run.id]);
        assert_eq!(repo.jj_file(&format!("agency/{}", run.id), "new.txt"), "fresh");
    }
    assert_eq!(repo.workspaces(), ["default"]);
}
