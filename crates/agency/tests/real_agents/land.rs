//! The agents themselves resolve a conflict, and their work lands.

use agency_testkit::{Form, RealAgent, Script};

use super::scene::Scene;

const RESOLVE: &str = "git merge --no-edit main; printf 'both\\n' > shared.txt && git add shared.txt && \
    git -c user.name=Agent -c user.email=agent@localhost commit --no-edit";

#[test]
fn claude_resolves_a_conflict_and_its_work_lands() {
    resolves(RealAgent::Claude, RealAgent::Claude.permissive(Form::Conversation));
}

// In its sandbox, in which it may write what a commit needs.
#[test]
fn codex_resolves_a_conflict_and_its_work_lands() {
    resolves(RealAgent::Codex, &["-c", "approval_policy=\"never\""]);
}

#[track_caller]
fn resolves(agent: RealAgent, args: &[&str]) {
    let script = Script::new()
        .turn(agent.write_file("shared.txt", "agent\n"))
        .say("Wrote shared.txt.")
        .turn(agent.run_command(RESOLVE))
        .say("Resolved.");
    let scene = Scene::new(agent, script);
    let run = scene.begin_of(Form::Conversation, &["--prompt", "do it"], args);
    scene.ended(&run);
    scene.repo.commit_file("shared.txt", "user\n");
    let landed = scene.world.json(&["land", "--on-conflict", "agent", &run.id])["data"]["landed"][0].take();
    assert_eq!(landed["already"], false, "{landed:#}");
    assert_eq!(scene.repo.git(&["show", "main:shared.txt"]).trim(), "both");
    let subjects = scene.repo.git(&["log", "--format=%s", "main"]);
    assert!(subjects.contains("Wrote shared.txt"), "the message is what the agent said: {subjects}");
}

#[test]
fn a_comment_reaches_claude_and_its_answer_changes_the_line() {
    addresses(RealAgent::Claude, RealAgent::Claude.permissive(Form::Conversation));
}

#[test]
fn a_comment_reaches_codex_and_its_answer_changes_the_line() {
    addresses(RealAgent::Codex, &["-c", "approval_policy=\"never\""]);
}

#[track_caller]
fn addresses(agent: RealAgent, args: &[&str]) {
    let script = Script::new()
        .turn(agent.write_file("words.txt", "one\ntwo\nthree\n"))
        .say("Wrote words.txt.")
        .turn(agent.run_command("sed -i s/two/zwei/ words.txt"))
        .say("The line is in German now.");
    let scene = Scene::new(agent, script);
    let run = scene.begin_of(Form::Conversation, &["--prompt", "do it"], args);
    scene.ended(&run);
    let comment = ["review", &run.id, "--comment", "words.txt:2:In German, please", "--send"];
    let sent = scene.world.json(&comment)["data"]["sent"].take();
    let child = scene.world.run_with_id(sent["run_id"].as_str().unwrap());
    scene.ended(&child);
    assert!(scene.model.turns().iter().any(|turn| turn.says("In German, please")), "the model got the comment");
    let worktree = scene.world.show(&run)["worktree_path"].as_str().unwrap().to_owned();
    assert_eq!(std::fs::read_to_string(format!("{worktree}/words.txt")).unwrap(), "one\nzwei\nthree\n");
    let review = scene.world.json(&["review", &run.id])["data"].take();
    assert_eq!(review["comments"][0]["state"], "addressed", "{review:#}");
}
