//! Searches every conversation that can be reached within small bounds, with every input in each.

mod inputs;
mod world;

use std::collections::{HashSet, VecDeque};

use self::inputs::{Bounds, open_question, reading};
use self::world::{Stage, World};
use super::*;
use crate::run::State;
use crate::{Activity, Answer, QuestionKey, QuestionKind};

const PERMISSION: (&str, QuestionKind) = ("a", QuestionKind::Permission);
const PARTS: [(&str, QuestionKind); 2] = [("r/1", QuestionKind::Question), ("r/2", QuestionKind::Question)];
const NOTHING: Bounds = Bounds {
    medium: Medium::Protocol,
    processes: 1,
    questions: 0,
    answers: 0,
    sent: 0,
    protocol: &[],
    turns: false,
    reports_messages: false,
    dialogs: &[],
    activities: &[],
};
const SCREEN: Bounds =
    Bounds { medium: Medium::Screen { understood: true }, activities: &[Activity::Idle, Activity::Unknown], ..NOTHING };

fn reachable(bounds: &Bounds) -> HashSet<World> {
    let start = World::default().after(&bounds.start());
    let mut seen = HashSet::from([start.clone()]);
    let mut open = VecDeque::from([start]);
    while let Some(world) = open.pop_front() {
        for next in world.next(bounds) {
            if next.asked <= bounds.questions && seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    seen
}

/// The end of a world: the run ends, and every answer that is still there is read.
fn ended(world: &World) -> World {
    let mut world = match world.process.stage {
        Stage::RunEnded => world.clone(),
        Stage::None | Stage::Running | Stage::Exiting | Stage::OutputRead => {
            world.after(&Input::RunEnded(State::Failed))
        }
    };
    assert!(world.pending.is_empty(), "an end asks for nothing: {world:?}");
    while let Some((request, id)) = world.unread.first().cloned() {
        let answer = world.rows.get(&id).and_then(|row| row.answer.clone()).expect("it was answered").0;
        let giver = Giver::User { request: Some(request) };
        world = world.after(&Input::Answered { id, answer: GivenAnswer { answer, by: "me".to_owned(), giver } });
    }
    world
}

/// Everything has an end when the run has one.
fn check_end(world: &World) {
    let end = ended(world);
    assert!(end.conversation.questions.is_empty(), "a question is left: {world:?}");
    assert!(end.rows.values().all(|row| row.ended), "a stored question has no end: {world:?}");
    assert!(end.unfinished.is_empty(), "a request has no outcome: {world:?}");
    assert!(!end.conversation.message_needs_screen(), "a message is left: {world:?}");
    assert!(end.repeated.is_empty(), "a message from before a restart is lost: {world:?}");
    assert_eq!(end.denials, 0, "the text of a denial is lost: {world:?}");
    assert!(end.armed.iter().all(|timer| *timer == Timer::PollRequests), "a timer is left: {end:?}");
    assert!(!end.conversation.is_waiting() && !end.conversation.shows_dialog());
}

/// An agent with nothing left to do does not stay.
fn check_conversation_ends(world: &World) {
    let is_armed = |timers: &[Timer]| timers.iter().any(|timer| world.armed.contains(timer));
    let process = &world.process;
    let has_nothing_to_do = process.stage == Stage::Running && process.is_idle && process.background_tasks == 0;
    if has_nothing_to_do && !world.conversation.is_interrupted() && !process.is_killed {
        let next_turn = [Timer::NextTurn, Timer::SilentTurn, Timer::BackgroundReport];
        let waits = is_armed(&next_turn) || is_armed(&[Timer::AgentExit, Timer::Termination]);
        assert!(waits, "the agent is not made to exit: {world:?}");
    }
}

/// A message that was typed, or that waits for the screen of a new process, does not wait for ever.
fn check_typed_message_ends(world: &World) {
    let is_armed = |timer| world.armed.contains(&timer);
    if world.process.stage != Stage::Running {
        return;
    }
    let unready = NewScreen { activity: Activity::Unknown, by_line: false, takes_text: false };
    let new_screen = Some(unready).filter(|_| world.process.has_new_screen);
    let next = || world.after(&Input::ScreenRead(ScreenReading { new_screen, ..reading(None, Activity::Idle) }));
    if let Some(text) = world.conversation.typed_message() {
        let ends = is_armed(Timer::ConfirmMessage) || next().conversation.typed_message() != Some(text);
        assert!(ends, "a typed message has no end: {world:?}");
    } else if !world.conversation.messages.waiting.is_empty() && !world.conversation.shows_dialog() {
        let ends = is_armed(Timer::ProcessReady) || is_armed(Timer::PromptReady);
        let typed = || next().conversation.messages.waiting.len() < world.conversation.messages.waiting.len();
        assert!(ends || typed(), "a message waits for ever: {world:?}");
    }
}

fn check(bounds: &Bounds) {
    let worlds = reachable(bounds);
    assert!(worlds.len() > 500, "the search went nowhere: {}", worlds.len());
    for world in worlds.iter().filter(|world| world.pending.is_empty()) {
        check_end(world);
        match bounds.medium {
            Medium::Protocol => check_conversation_ends(world),
            Medium::Screen { .. } => check_typed_message_ends(world),
            Medium::OneWay => {}
        }
    }
}

#[test]
fn every_question_of_a_protocol_ends_once_and_every_answer_is_sent_once_to_its_own() {
    check(&Bounds { questions: 2, answers: 2, protocol: &[PERMISSION, PARTS[0], PARTS[1]], ..NOTHING });
}

#[test]
fn every_question_of_a_screen_ends_once_and_every_answer_is_typed_once_into_its_own() {
    check(&Bounds { questions: 2, answers: 1, dialogs: &["d", "e"], ..SCREEN });
}

#[test]
fn questions_of_a_protocol_and_of_a_screen_do_not_disturb_each_other() {
    check(&Bounds { questions: 2, answers: 1, protocol: &[PERMISSION], dialogs: &["d"], ..SCREEN });
}

#[test]
fn every_message_by_a_protocol_has_an_outcome_and_every_conversation_ends() {
    check(&Bounds { processes: 2, sent: 2, turns: true, ..NOTHING });
}

#[test]
fn the_same_for_an_agent_that_reports_what_becomes_of_each_message() {
    check(&Bounds { processes: 2, sent: 2, turns: true, reports_messages: true, ..NOTHING });
}

#[test]
fn messages_questions_and_turns_do_not_disturb_each_other() {
    check(&Bounds { questions: 1, answers: 1, sent: 1, protocol: &[PERMISSION], turns: true, ..NOTHING });
}

#[test]
fn every_message_to_an_agent_that_takes_none_is_refused() {
    check(&Bounds { medium: Medium::OneWay, processes: 2, sent: 2, turns: true, ..NOTHING });
}

#[test]
fn every_message_that_is_typed_has_an_outcome() {
    let activities = &[Activity::Idle, Activity::Thinking, Activity::Unknown];
    check(&Bounds { processes: 2, sent: 2, activities, ..SCREEN });
}

#[test]
fn a_message_is_never_typed_into_a_dialog() {
    check(&Bounds { questions: 1, answers: 1, sent: 1, dialogs: &["d"], ..SCREEN });
}

/// A conversation whose prompt is in its turn, and in which a message comes.
fn with_a_message_in_the_first_turn(stays: bool) -> Conversation {
    let mut conversation = Conversation::default();
    let start = ProcessStart { pid: 1, medium: Medium::Protocol, has_prompt: true, stays, reports_turns: false };
    let message = Message { text: "m".to_owned(), origin: MessageOrigin::Denial };
    for input in [Input::Started(start), Input::TurnStarted, Input::Message(message), Input::MessageSent(Ok(()))] {
        let _ = conversation.step(input);
    }
    conversation
}

#[test]
fn an_agent_that_reports_only_its_first_turn_may_be_silent_for_long_in_the_turn_of_a_message() {
    let mut conversation = with_a_message_in_the_first_turn(false);
    let effects = conversation.step(Input::TurnEnded);
    assert!(effects.contains(&Effect::Arm(Timer::SilentTurn)), "{effects:?}");
    assert!(!effects.contains(&Effect::Arm(Timer::NextTurn)), "{effects:?}");
    let effects = conversation.step(Input::TurnEnded);
    assert!(effects.contains(&Effect::CloseInput), "{effects:?}");
}

#[test]
fn an_agent_that_stays_is_idle_when_a_message_begins_no_turn() {
    let mut conversation = with_a_message_in_the_first_turn(true);
    let _ = conversation.step(Input::TurnEnded);
    assert_eq!(conversation.activity(), Some(Activity::Thinking));
    assert_eq!(conversation.unanswered(), ["m"]);
    let effects = conversation.step(Input::Timer(Timer::SilentTurn));
    assert!(!effects.contains(&Effect::CloseInput), "{effects:?}");
    assert_eq!((conversation.activity(), conversation.unanswered()), (Some(Activity::Idle), &[][..]));
}

#[test]
fn the_request_of_an_answer_that_a_rule_took_along_gets_its_outcome() {
    let mut conversation = Conversation::default();
    let question = open_question(0, &QuestionKey::whole("d"), Origin::Screen, QuestionKind::Permission);
    let id = question.id.clone();
    let given = |request| GivenAnswer {
        answer: Answer::Allow { message: None },
        by: "me".to_owned(),
        giver: Giver::User { request },
    };
    let read = |dialog: Option<&str>| Input::ScreenRead(reading(dialog.map(QuestionKey::from), Activity::Thinking));
    for input in [
        Input::Asked { question, answerer: Answerer::RuleOrUser },
        Input::Stored { id: id.clone() },
        Input::Timer(Timer::DialogDelay(id.clone())),
        Input::Answered { id: id.clone(), answer: given(None) },
        read(Some("d")),
        Input::Sent { id: id.clone(), result: Ok(Sent::Typed) },
    ] {
        let _ = conversation.step(input);
    }
    assert_eq!(conversation.step(Input::Answered { id, answer: given(Some(7)) }), []);
    let effects = conversation.step(read(None));
    let outcome = Ok("typed; the dialog is gone, and the agent is thinking".to_owned());
    assert!(effects.contains(&Effect::FinishRequest { request: 7, outcome }), "{effects:?}");
}
