//! What only Codex has: a sandbox of its own, and a process that its screens would share.

use std::fs;
use std::time::Duration;

use agency_testkit::{Form, RealAgent, Run, Script, wait_for};
use serde_json::Value;

use super::scene::{LIMIT, Scene};

const COMMIT: &str = "echo made > made.txt && git add made.txt && \
    git -c user.name=Codex -c user.email=codex@localhost commit -m 'made in the sandbox'; \
    echo [evil] >> $(git rev-parse --git-common-dir)/config; git branch -f other";

/// Its sandbox lets commands write to directories for temporary files, in which the repository of a test is.
const NOT_EVERYWHERE: [&str; 4] = [
    "-c",
    "sandbox_workspace_write.exclude_slash_tmp=true",
    "-c",
    "sandbox_workspace_write.exclude_tmpdir_env_var=true",
];

// The sandbox has to be there: in a container without user namespaces these tests fail, as Codex does.
#[test]
fn codex_commits_in_its_sandbox_in_a_conversation() {
    commits_in_its_sandbox(Form::Conversation);
}

#[test]
fn codex_commits_in_its_sandbox_in_one_shot() {
    commits_in_its_sandbox(Form::OneShot);
}

fn commits_in_its_sandbox(form: Form) {
    let agent = RealAgent::Codex;
    let scene = Scene::new(agent, Script::new().turn(agent.run_command(COMMIT)).say("It is committed."));
    let args: &[&str] = match form {
        // Its server is started so by agency.
        Form::Conversation => &["-c", "approval_policy=\"never\""],
        Form::OneShot => &["--sandbox", "workspace-write"],
    };
    let run = scene.begin_of(form, &["--prompt", "do it"], &[args, &NOT_EVERYWHERE].concat());
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    is_committed(&scene, &ended);
}

#[test]
fn codex_commits_in_its_sandbox_on_its_screen() {
    let agent = RealAgent::Codex;
    let scene = Scene::new(agent, Script::new().turn(agent.run_command(COMMIT)).say("It is committed."));
    let args = ["--sandbox", "workspace-write", "--ask-for-approval", "never"];
    let run = on_screen(&scene, &[&args[..], &NOT_EVERYWHERE].concat());
    scene.model.wait_for_turn(1);
    wait_until_idle(&scene, &run);
    is_committed(&scene, &scene.world.json(&["show", &run.id])["data"]);
    scene.stop(&run);
}

/// The commit is on the branch of the run, and nothing else of the repository could be written.
#[track_caller]
fn is_committed(scene: &Scene, run: &Value) {
    let git = |arguments: &[&str]| scene.repo.git(arguments);
    let branch = run["new_branch"].as_str().unwrap();
    assert_eq!(git(&["log", "-1", "--format=%s", branch]).trim(), "made in the sandbox");
    assert!(!fs::read_to_string(scene.repo.path.join(".git/config")).unwrap().contains("evil"));
    assert_eq!(git(&["branch", "--list", "other"]), "");
}

#[test]
fn three_screens_of_codex_share_nothing() {
    let agent = RealAgent::Codex;
    let slow = agent.write_file("made.txt", "made\n").first_byte_after(Duration::from_secs(15));
    let scene = Scene::new(agent, Script::new().turn(slow).say("Finished."));
    let args = agent.permissive(Form::OneShot);
    // It makes its database at its first start, and two that do it at once meet each other.
    let mut runs = vec![on_screen(&scene, args)];
    scene.model.wait_for_request(1);
    runs.extend((0..2).map(|_| on_screen(&scene, args)));
    wait_for("all three at their model", LIMIT, || (scene.model.turns().len() >= 3).then_some(()));
    let all: Vec<_> = runs.iter().map(Run::processes).collect();
    assert!(all.iter().all(|processes| !processes.is_empty()), "each has processes of its own: {all:?}");
    // Waits until nothing of it is left.
    scene.stop(&runs[0]);
    for run in &runs[1..] {
        let worktree = scene.world.json(&["show", &run.id])["data"]["worktree_path"].take();
        let made = format!("{}/made.txt", worktree.as_str().unwrap());
        wait_for("the work of the others", LIMIT, || fs::exists(&made).unwrap().then_some(()));
        wait_until_idle(&scene, run);
        scene.stop(run);
    }
}

#[track_caller]
fn on_screen(scene: &Scene, args: &[&str]) -> Run {
    let interactive = ["--host", "tmux", "--mode", "interactive", "--"];
    scene.world.begin(&scene.repo, scene.agent.runner(), &[&interactive, args].concat())
}

#[track_caller]
fn wait_until_idle(scene: &Scene, run: &Run) {
    wait_for("idle", LIMIT, || {
        let why = scene.world.json(&["why", &run.id])["data"].take();
        (why["activity"] == "idle").then_some(())
    });
}
