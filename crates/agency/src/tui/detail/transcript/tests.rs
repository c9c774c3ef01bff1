use std::sync::Arc;

use agency_model::{Event, PlanStep, StepStatus, TaskStatus};
use serde_json::json;

use super::*;
use crate::tui::detail::Ask;
use crate::tui::detail::fixture::{NOW, whole};
use crate::tui::detail::scroll::Viewport;
use crate::tui::detail::window::Piece;

const VIEWPORT: Viewport = Viewport { width: 40, height: 100 };

fn line(event: Event) -> Arc<EventLine> {
    Arc::new(EventLine { seq: 1, at: NOW, attempt: 1, event })
}

fn says(text: &str) -> Arc<EventLine> {
    line(Event::output(text))
}

fn uses(id: &str, command: &str) -> Arc<EventLine> {
    let input = json!({"command": command, "timeout": 5});
    line(Event::ToolUse { tool_name: "Bash".to_owned(), input, tool_id: Some(id.to_owned()), parent_tool_id: None })
}

fn answers(id: &str, output: &str, success: bool) -> Arc<EventLine> {
    let output = output.into();
    line(Event::ToolResult {
        tool_name: "Bash".to_owned(),
        output,
        success,
        tool_id: Some(id.to_owned()),
        parent_tool_id: None,
    })
}

fn talk(events: Vec<Arc<EventLine>>) -> (TranscriptBody, Scroll) {
    let (mut talk, mut scroll) = (TranscriptBody::default(), Scroll::END);
    talk.take(whole(events), &mut scroll);
    (talk, scroll)
}

fn shown(talk: &TranscriptBody, scroll: &Scroll) -> Vec<String> {
    let row_style = RowStyle { width: VIEWPORT.width, left: 0, theme: Theme::ansi(false, true) };
    let seen = scroll.seen(talk, VIEWPORT).into_iter();
    seen.flat_map(|(item, rows)| talk.rows(item, rows, row_style)).map(|line| line.to_string()).collect()
}

#[test]
fn words_that_come_in_pieces_are_joined() {
    let pieces = ["Hel", "lo\n", "\n", "World", ".\nEnd"];
    let (talk, scroll) = talk(pieces.into_iter().map(says).collect());
    assert_eq!(shown(&talk, &scroll), ["Hello", "", "World.", "End"]);
}

#[test]
fn any_pieces_of_the_same_words_look_the_same() {
    let text = "One two\n\nthree\n four \n\n\nfive";
    let (whole, scroll) = talk(vec![says(text)]);
    for length in 1..text.len() {
        let pieces = text.as_bytes().chunks(length).map(|piece| says(str::from_utf8(piece).unwrap())).collect();
        let (talk, _) = talk(pieces);
        assert_eq!(shown(&talk, &scroll), shown(&whole, &scroll), "{length}");
    }
}

#[test]
fn words_do_not_join_across_a_tool_call() {
    let (talk, scroll) = talk(vec![says("a"), uses("1", "ls"), answers("1", "x\ny\n", true), says("b")]);
    assert_eq!(shown(&talk, &scroll), ["a", "▸ Bash ls ✓ 2 lines", "b"]);
}

#[test]
fn a_call_unfolds_to_its_command_and_its_answer() {
    let output: String = (0..502).map(|number| format!("line {number}\n")).collect();
    let (mut talk, mut scroll) = talk(vec![uses("1", "seq 502"), answers("1", &output, false), uses("2", "ls")]);
    assert_eq!(shown(&talk, &scroll), ["▸ Bash seq 502 ✗ 502 lines", "▸ Bash ls …"]);
    scroll = Scroll::START;
    scroll.fold(0, &mut talk, VIEWPORT);
    let rows = shown(&talk, &scroll);
    assert_eq!(rows[..5], ["▾ Bash seq 502 ✗ 502 lines", "  $ seq 502", "  {", "    \"timeout\": 5", "  }"]);
    assert_eq!(rows[5], "  line 0");
    let height = talk.height(0, VIEWPORT.width);
    let row_style = RowStyle { width: VIEWPORT.width, left: 0, theme: Theme::ansi(false, true) };
    let last = talk.rows(0, height - 1..height, row_style);
    assert_eq!(last.iter().map(ToString::to_string).collect::<Vec<_>>(), ["  2 more lines"]);
    talk.fold_all();
    assert_eq!(
        (talk.is_unfolded(&talk.transcript.entries()[0]), talk.is_unfolded(&talk.transcript.entries()[1])),
        (true, true)
    );
}

#[test]
fn answers_find_their_calls_in_any_order() {
    let events = vec![uses("1", "a"), uses("2", "b"), answers("2", "", true), answers("1", "x", false)];
    let (talk, scroll) = talk(events);
    assert_eq!(shown(&talk, &scroll), ["▸ Bash a ✗ 1 line", "▸ Bash b ✓"]);
}

#[test]
fn what_is_loaded_before_takes_its_answers_and_nobody_is_moved() {
    let (mut talk, mut scroll) = (TranscriptBody::default(), Scroll::END);
    let piece = |start, item| Piece { start, item };
    let pieces = vec![piece(100, answers("1", "x", true)), piece(110, says("one")), piece(120, says("\ntwo"))];
    let load = |ask, start, end, pieces| Load { ask, start, end, pieces, half: None, more: false, length: 130 };
    talk.take(load(Ask::Tail, 100, 130, pieces), &mut scroll);
    assert_eq!(shown(&talk, &scroll), ["▸ Bash ✓ 1 line", "one", "two"]);
    let viewport = Viewport { height: 1, ..VIEWPORT };
    scroll.go(crate::tui::keys::Move::Up, &talk, viewport);
    assert_eq!(scroll.seen(&talk, viewport), [(1, 0..1)]);
    let before = vec![piece(0, says("zero")), piece(50, uses("1", "ls"))];
    talk.take(load(Ask::Before(100), 0, 100, before), &mut scroll);
    assert_eq!(scroll.seen(&talk, viewport), [(2, 0..1)], "it is the same line");
    scroll = Scroll::START;
    assert_eq!(shown(&talk, &scroll), ["zero", "▸ Bash ls ✓ 1 line", "one", "two"]);
}

#[test]
fn whatever_is_not_words_has_its_sign() {
    let events = vec![
        line(Event::Message { text: "go on".to_owned() }),
        line(Event::Error { message: "no".to_owned() }),
        line(Event::Restart { failures: 1, delay_ms: 500 }),
        line(Event::Completed {
            state: agency_model::run::State::Completed,
            exit_code: Some(0),
            reason: agency_model::run::Reason::Exited,
            error: None,
        }),
    ];
    let (talk, scroll) = talk(events);
    let rows = shown(&talk, &scroll);
    assert_eq!(rows[..3], ["> go on", "✗ error: no", "↻ crash 1; next attempt in 500 ms"]);
    assert!(rows[3].starts_with("✓ the run is completed"), "{rows:?}");
}

#[test]
fn thoughts_plans_tasks_and_sub_agents_are_told_apart_from_words() {
    let step = |text: &str, status| PlanStep { text: text.to_owned(), status };
    let steps = vec![step("look", StepStatus::Completed), step("change", StepStatus::InProgress)];
    let below = Event::Output { text: "I look.".to_owned(), parent_tool_id: Some("t1".to_owned()) };
    let (status, description) = (TaskStatus::Started, "Look around".to_owned());
    let task = Event::Task { task_id: "a1".to_owned(), status, description, tool_id: None };
    let plan = Event::Plan { steps, text: None };
    let events = vec![says("One"), line(Event::thinking("hm")), line(plan), line(task), line(below), says("Two")];
    let (talk, scroll) = talk(events);
    let rows = shown(&talk, &scroll);
    let expected = [
        "One",
        "~ hm",
        "☐ [x] look",
        "  [>] change",
        "· background task a1 started: Look",
        "  around",
        "│ I look.",
        "Two",
    ];
    assert_eq!(rows, expected);
}
