//! Comments on the work of a run: written, followed, sent once, addressed; and approval.

use std::fs;
use std::path::PathBuf;

use agency_model::ErrorCode;
use agency_testkit::{Agent, Repo, Run, World, conversation};
use serde_json::Value;

use super::fixture::{begin, events, text, wait_for_question, world};

/// Writes `work.txt`; when its conversation is continued, it replaces a line of that, and a file that it is asked for.
pub(super) fn changing() -> Agent {
    conversation::speaking(
        "hear_message\ncase \"$*\" in\n  *--resume*) sed -i s/two/zwei/ work.txt ;;\n  \
         *) printf 'one\\ntwo\\nthree\\n' >work.txt ;;\nesac\nfinish done\nhear_the_end",
    )
}

/// A run that has ended and left `work.txt`.
pub(super) fn reviewed() -> (World, Repo, Run) {
    let (world, repo) = world(changing());
    let run = begin(&world, &repo);
    assert_eq!(world.ended(&run)["state"], "completed");
    (world, repo, run)
}

pub(super) fn worktree(world: &World, run: &Run) -> PathBuf {
    text(&world.show(run), "worktree_path").into()
}

/// What `agency review` answers.
#[track_caller]
pub(super) fn review(world: &World, run: &Run, options: &[&str]) -> Value {
    let mut answer = world.json(&[&["review", &run.id], options].concat());
    assert_eq!(answer["ok"], true, "{answer:#}");
    answer["data"].take()
}

pub(super) fn states(review: &Value) -> Vec<String> {
    review["comments"].as_array().unwrap().iter().map(|comment| text(comment, "state").to_owned()).collect()
}

#[test]
fn a_comment_moves_with_its_line_reaches_the_agent_and_is_addressed() {
    let (world, _repo, run) = reviewed();
    let file = worktree(&world, &run).join("work.txt");
    let written = review(&world, &run, &["--comment", "work.txt:2:In German, please", "--comment", "work.txt::Good"]);
    assert_eq!((states(&written), &written["added"]), (vec!["open".into(), "open".into()], &serde_json::json!([1, 2])));
    assert_eq!(
        (&written["comments"][0]["quoted"], &written["comments"][0]["now"]["changed"]),
        (&"two".into(), &false.into())
    );
    let inbox = world.ok(&["inbox"]).stdout;
    assert_eq!(inbox, "No open questions.\n\ndo-it: 2 comments to send   agency review do-it\n");
    // The user changes the file before the comment is sent.
    fs::write(&file, "zero\none\ntwo\nthree\n").unwrap();
    let moved = review(&world, &run, &[]);
    assert_eq!(moved["comments"][0]["now"]["first_line"], 3, "{moved:#}");
    let sent = review(&world, &run, &["--send"]);
    assert_eq!(sent["sent"]["comments"], 2, "{sent:#}");
    let child = world.run_with_id(text(&sent["sent"], "run_id"));
    assert_eq!(world.ended(&child)["state"], "completed");
    let heard = child.heard()[0]["message"]["content"].as_str().unwrap().to_owned();
    assert!(heard.contains("1. work.txt, line 3:\n> two\nIn German, please\n\n2. work.txt:\nGood\n"), "{heard}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "zero\none\nzwei\nthree\n");
    let addressed = review(&world, &run, &[]);
    assert_eq!(states(&addressed), ["addressed", "addressed"], "{addressed:#}");
    assert_eq!(world.ok(&["inbox"]).stdout, "No open questions.\n");
    // The run that continued the conversation has the same comments.
    assert_eq!(states(&review(&world, &child, &[])), ["addressed", "addressed"]);
    assert_eq!(events(&child, "comments_sent")[0]["comments"], 2);
    world.error(&["review", &run.id, "--send"], ErrorCode::InvalidState);
}

#[test]
fn a_live_agent_receives_comments_as_a_message() {
    let (world, repo) = world(conversation::echoing());
    let run = begin(&world, &repo);
    run.wait_for_output("heard: do it");
    let sent = review(&world, &run, &["--comment", "README.md:1:A better title", "--send"]);
    assert_eq!((states(&sent)[0].as_str(), &sent["sent"]["run_id"]), ("sent", &run.id.as_str().into()), "{sent:#}");
    assert!(!sent["comments"][0]["delivered_at"].is_null());
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(run.heard().iter().filter(|line| line["type"] == "user").count(), 2);
}

#[test]
fn a_sent_comment_whose_file_is_deleted_is_gone_and_others_can_be_withdrawn() {
    let (world, _repo, run) = reviewed();
    let file = worktree(&world, &run).join("work.txt");
    let sent = review(&world, &run, &["--comment", "work.txt:3:x", "--comment", "README.md:-1:Why?", "--send"]);
    world.ended(&world.run_with_id(text(&sent["sent"], "run_id")));
    assert_eq!(states(&review(&world, &run, &[])), ["sent", "sent"]);
    // Windows line ends are not a change.
    fs::write(&file, "one\r\nzwei\r\nthree\r\n").unwrap();
    assert_eq!(states(&review(&world, &run, &[])), ["sent", "sent"]);
    fs::remove_file(&file).unwrap();
    assert_eq!(states(&review(&world, &run, &[])), ["gone", "sent"]);
    assert_eq!(states(&review(&world, &run, &["--withdraw", "2"])), ["gone", "withdrawn"]);
    world.error(&["review", &run.id, "--withdraw", "9"], ErrorCode::InvalidComment);
}

#[test]
fn a_comment_is_about_something_that_exists() {
    let (world, _repo, run) = reviewed();
    let refused = |comment: &str, says: &str| {
        let error = world.error(&["review", &run.id, "--comment", comment], ErrorCode::InvalidComment);
        assert!(text(&error, "message").contains(says), "{error:#}");
    };
    refused("work.txt:4:x", "there is no line 4: it has 3 lines");
    refused("none.txt:1:x", "there is no such file");
    refused("work.txt:-1:x", "not in the base commit");
    refused("../../etc/passwd:1:x", "below the top");
    refused("/etc/passwd:1:x", "below the top");
    refused(".git:1:x", "no such file");
    refused("work.txt", "is not FILE:LINE:TEXT");
    // Nothing of a call is stored if one of its comments is wrong.
    world.error(&["review", &run.id, "--comment", "work.txt:1:x", "--comment", "a:1:x"], ErrorCode::InvalidComment);
    assert_eq!(states(&review(&world, &run, &[])), Vec::<String>::new());
}

#[test]
fn hostile_names_and_texts_are_shown_escaped_and_are_never_options() {
    let (world, _repo, run) = reviewed();
    let directory = worktree(&world, &run);
    let name = "-x\u{1b}[2J\n.txt";
    fs::write(directory.join(name), "a\u{1b}]0;title\u{7}\n").unwrap();
    // As it is, and as it is shown.
    review(&world, &run, &["--comment", &format!("{name}:1:b\u{202e}ody")]);
    let written = review(&world, &run, &["--comment", "-x\\x1b[2J\\n.txt:1:again"]);
    assert_eq!((&written["comments"][0]["path"], &written["comments"][1]["path"]), (&name.into(), &name.into()));
    let shown = world.ok(&["review", &run.id]).stdout;
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}') && !shown.contains('\u{7}'), "{shown:?}");
    let sent = review(&world, &run, &["--send"]);
    let child = world.run_with_id(text(&sent["sent"], "run_id"));
    world.ended(&child);
    let heard = child.heard()[0]["message"]["content"].as_str().unwrap().to_owned();
    assert!(!heard.contains('\u{1b}') && heard.contains("-x\\x1b[2J\\n.txt, line 1"), "{heard:?}");
}

#[test]
fn a_review_in_a_file_of_ten_thousand_lines_follows_them() {
    let (world, _repo, run) = reviewed();
    let directory = worktree(&world, &run);
    let lines: Vec<String> = (1..=10_000).map(|number| format!("line {number}")).collect();
    fs::write(directory.join("long.txt"), lines.join("\n")).unwrap();
    let file = world.root().join("review.md");
    fs::write(&file, "# Review\n\n## long.txt:9000-9001\nBoth.\n\n## long.txt:10000\nLast.\n").unwrap();
    review(&world, &run, &["--file", file.to_str().unwrap()]);
    let changed = lines.iter().filter(|line| *line != "line 17").cloned().collect::<Vec<_>>();
    fs::write(directory.join("long.txt"), changed.join("\n").replace("line 9001\n", "line\n")).unwrap();
    let found = review(&world, &run, &[]);
    let now = |at: usize| {
        (found["comments"][at]["now"]["first_line"].clone(), found["comments"][at]["now"]["changed"].clone())
    };
    assert_eq!(now(0), (8999.into(), true.into()));
    assert_eq!(now(1), (9999.into(), false.into()));
}

// Agents do not approve their own work.
#[test]
fn an_approval_is_of_exactly_these_files_and_not_given_by_an_agent() {
    let (world, _repo, run) = reviewed();
    let before = review(&world, &run, &[]);
    let tree = text(&before, "tree").to_owned();
    assert_eq!((&before["approved"], &before["approval"]), (&false.into(), &Value::Null));
    let approved = review(&world, &run, &["--approve"]);
    assert_eq!((&approved["approved"], text(&approved["approval"], "tree")), (&true.into(), tree.as_str()));
    assert_eq!(events(&run, "approved").len(), 1);
    assert_eq!(review(&world, &run, &["--approve"])["approved"], true);
    assert_eq!(events(&run, "approved").len(), 1);
    fs::write(worktree(&world, &run).join("more.txt"), "more\n").unwrap();
    let changed = review(&world, &run, &[]);
    assert_eq!((&changed["approved"], text(&changed["approval"], "tree")), (&false.into(), tree.as_str()));
    let error = world.error(&["review", &run.id, &format!("--approve={tree}")], ErrorCode::NotReady);
    assert_eq!(error["details"]["tree"], changed["tree"]);
    fs::remove_file(worktree(&world, &run).join("more.txt")).unwrap();
    assert_eq!(review(&world, &run, &[&format!("--approve={}", &tree[..8])])["approved"], true);
    let inside = world.run(world.command(&["--json", "review", &run.id, "--approve"]).env("AGENCY_RUN_ID", &run.id));
    assert_eq!(inside.object()["error"]["code"], "E_NOT_ALLOWED");
}

#[test]
fn the_work_of_an_agent_that_is_busy_is_not_approved() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin(&world, &repo);
    wait_for_question(&world, &run);
    world.error(&["review", &run.id, "--approve"], ErrorCode::NotReady);
    world.ok(&["stop", &run.id]);
    assert_eq!(review(&world, &run, &["--approve"])["approved"], true);
}

#[test]
fn comments_are_written_into_the_diff_in_an_editor() {
    let (mut world, _repo, run) = reviewed();
    let script = world.root().join("editor");
    fs::write(&script, "#!/bin/sh\nsed -i 's/^> +two$/&\\n# In German/' \"$1\"\n").unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    world.set_variable("EDITOR", script.to_str().unwrap());
    assert_eq!(world.terminal(&["review", &run.id, "--edit"]).wait_for_exit(), 0);
    let written = review(&world, &run, &[]);
    assert_eq!(
        (&written["comments"][0]["first_line"], &written["comments"][0]["body"]),
        (&2.into(), &"In German".into())
    );
}

#[test]
fn what_was_written_in_an_editor_is_kept_where_it_cannot_be_read() {
    let (mut world, _repo, run) = reviewed();
    let script = world.root().join("editor");
    for (lines, said) in [
        ("printf '# caf\\351, a long comment\\n' >>\"$1\"", "is not UTF-8 text"),
        ("echo '# a long comment' >>\"$1\"; exit 3", "exited with exit status: 3"),
    ] {
        fs::write(&script, format!("#!/bin/sh\n{lines}\n")).unwrap();
        fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        world.set_variable("EDITOR", script.to_str().unwrap());
        let terminal = world.terminal(&["review", &run.id, "--edit"]);
        let screen = terminal.wait_for_text("what you wrote is in");
        let screen = screen.replace('\n', "");
        assert!(screen.contains(said), "{screen}");
        let path = screen.split("what you wrote is in").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap();
        let kept = fs::read(path).unwrap();
        assert!(String::from_utf8_lossy(&kept).contains("a long comment"));
        fs::remove_file(path).unwrap();
        assert_eq!(review(&world, &run, &[])["comments"], serde_json::json!([]));
    }
}
