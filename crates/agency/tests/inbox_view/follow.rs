//! `agency inbox --follow`.

use agency_testkit::{Process, wait_for};
use rustix::process::Signal;
use serde_json::Value;

use super::fixture::{LIMIT, asks, heard, open, permission, start, text, world};

fn lines(viewer: &Process) -> Vec<Value> {
    let printed = viewer.stdout();
    let whole = printed.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Waits until so many lines came.
#[track_caller]
fn wait_for_lines(viewer: &Process, count: usize) -> Vec<Value> {
    wait_for(&format!("{count} lines"), LIMIT, || Some(lines(viewer)).filter(|lines| lines.len() >= count))
}

#[test]
fn every_question_comes_as_it_is_asked_and_when_it_is_settled() {
    let (world, repo) = world();
    asks(&world, "early", &[permission("r1", "touch early")]);
    asks(&world, "late", &[permission("r1", "touch late")]);
    start(&world, &repo, "early", &[]);
    let early = open(&world, 1).remove(0);
    let viewer = world.spawn(&["inbox", "--follow", "--json"]);
    let first = wait_for_lines(&viewer, 1).remove(0);
    assert_eq!((text(&first, "news"), &first["question"]), ("asked", &early), "as `agency inbox` shows it");

    let late = start(&world, &repo, "late", &[]);
    let second = wait_for_lines(&viewer, 2).remove(1);
    assert_eq!((text(&second, "news"), text(&second["question"], "run_id")), ("asked", late.id.as_str()));

    world.ok(&["answer", text(&early, "id"), "allow"]);
    let third = wait_for_lines(&viewer, 3).remove(2);
    assert_eq!((text(&third, "news"), &third["question"]["id"]), ("answered", &early["id"]));
    assert_eq!(third["question"]["answer"]["answer"], "allow");

    world.ok(&["stop", &late.id]);
    let fourth = wait_for_lines(&viewer, 4).remove(3);
    assert_eq!((text(&fourth, "news"), &fourth["question"]["id"]), ("expired", &second["question"]["id"]));
    assert!(viewer.is_running(), "it goes on");
}

#[test]
fn what_a_killed_supervisor_asked_is_said_to_have_expired() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch a")]);
    let run = start(&world, &repo, "asking", &[]);
    let viewer = world.spawn(&["inbox", "-f", "--json"]);
    wait_for_lines(&viewer, 1);
    run.kill_supervisor();
    assert_eq!(text(&wait_for_lines(&viewer, 2)[1], "news"), "expired");
}

#[test]
fn a_viewer_that_is_killed_harms_nothing() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch a")]);
    let run = start(&world, &repo, "asking", &[]);
    for _ in 0..5 {
        let viewer = world.spawn(&["inbox", "--follow", "--json"]);
        wait_for_lines(&viewer, 1);
        viewer.signal(Signal::KILL);
    }
    let asked = open(&world, 1).remove(0);
    world.ok(&["answer", text(&asked, "id"), "allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(heard(&world, "asking")[0]["behavior"], "allow");
}

#[test]
fn a_person_sees_the_question_hears_the_bell_and_sees_who_answered() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch a-file")]);
    let terminal = world.terminal(&["inbox", "--follow"]);
    terminal.wait_for_text("press Ctrl-C to stop");
    start(&world, &repo, "asking", &[]);
    let screen = terminal.wait_for_text("touch a-file");
    assert!(screen.contains("Bash: Do something") && screen.contains("agency answer q_"), "{screen}");
    let bells = || world.tmux(&["list-windows", "-a", "-F", "#{window_bell_flag}"]);
    wait_for("a bell", LIMIT, || bells().contains('1').then_some(()));
    world.ok(&["answer", text(&open(&world, 1)[0], "id"), "deny"]);
    terminal.wait_for_text("was answered by ada: deny");
    terminal.send_keys(&["C-c"]);
    assert_eq!(terminal.wait_for_exit(), 130);
}

#[test]
fn a_pipe_gets_questions_only_and_may_be_closed() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch a")]);
    start(&world, &repo, "asking", &[]);
    open(&world, 1);
    let mut command = world.program("sh");
    command.args(["-c", "\"$1\" inbox --follow | head -n 1; echo over", "sh", env!("CARGO_BIN_EXE_agency")]);
    let viewer = world.start(&mut command);
    wait_for("the first line", LIMIT, || viewer.stdout().starts_with("q_").then_some(()));
    world.ok(&["answer", text(&open(&world, 1)[0], "id"), "allow"]);
    asks(&world, "again", &[permission("r1", "touch b")]);
    start(&world, &repo, "again", &[]);
    let output = viewer.wait();
    assert_eq!(output.stdout.lines().last(), Some("over"), "{output}");
    assert!(!output.stdout.contains("was answered"), "{output}");
}
