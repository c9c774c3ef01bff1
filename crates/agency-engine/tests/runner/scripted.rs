//! A runner without a program.

use std::time::Duration;

use agency_engine::runner::{
    Listener, ProcessRunner, RunnerEvent, ScriptStep, ScriptedRunner, Signal, Stream, TerminalSize,
};
use agency_model::run::Exit;

use super::hearing::{Heard, on_time};

const DONE: Exit = Exit { exit_code: Some(0), signal: None };

fn say(text: &str) -> ScriptStep {
    ScriptStep::Say(Stream::Stdout, text.as_bytes().to_vec())
}

// proves P14
#[test]
fn a_script_is_a_conversation_and_everything_done_to_it_is_remembered() {
    on_time(async {
        let runner = ScriptedRunner::new([
            say("\x1b[1mname?\x1b[0m "),
            ScriptStep::AwaitInput(b"bob\n".to_vec()),
            ScriptStep::Say(Stream::Stderr, b"hello\n".to_vec()),
            ScriptStep::AwaitEndOfInput,
            ScriptStep::Exit(DONE),
            say("last words\n"),
        ]);
        let handle = runner.handle();
        let size = TerminalSize::new(10, 33).unwrap();
        let mut listener = Listener::new(Box::new(runner));
        let mut heard = Heard::default();
        heard.until(&mut listener, "name? ").await;
        listener.runner().resize(size);
        listener.runner().type_in(b"I am bob\n").unwrap();
        heard.until(&mut listener, "hello\n").await;
        assert!(!handle.input_is_closed());
        listener.runner().close_input();
        listener.runner().type_in(b"too late").unwrap_err();
        heard.until(&mut listener, "last words\n").await;
        assert_eq!(listener.next().await, None);
        assert_eq!(listener.runner().exit(), Some(DONE));
        assert_eq!(heard.stdout, b"\x1b[1mname?\x1b[0m last words\n");
        assert_eq!(heard.stderr, b"hello\n");
        assert_eq!((handle.typed().as_slice(), handle.input_is_closed()), (&b"I am bob\n"[..], true));
        assert_eq!((handle.sizes(), handle.signals()), (vec![size], vec![]));
    });
}

// proves P14
#[test]
fn it_is_stopped_like_a_program() {
    on_time(async {
        let obedient = ScriptedRunner::new([]);
        let handle = obedient.handle();
        let exit = Listener::new(Box::new(obedient)).stop(Duration::from_secs(30)).await.unwrap();
        assert_eq!(exit.signal, Some(Signal::TERM.as_raw()));
        assert_eq!(handle.signals(), [Signal::TERM, Signal::CONT]);

        let stubborn = ScriptedRunner::new([ScriptStep::IgnoreSignals, say("ready")]);
        let handle = stubborn.handle();
        let mut listener = Listener::new(Box::new(stubborn));
        Heard::default().until(&mut listener, "ready").await;
        let exit = listener.stop(Duration::from_millis(1)).await.unwrap();
        assert_eq!(exit.signal, Some(Signal::KILL.as_raw()));
        assert_eq!(handle.signals(), [Signal::TERM, Signal::CONT, Signal::KILL]);
    });
}

// proves P14
#[test]
fn a_manager_that_owns_it_is_told_more_while_it_waits() {
    on_time(async {
        let runner = ScriptedRunner::new([]);
        let handle = runner.handle();
        let mut runner: Box<dyn ProcessRunner> = Box::new(runner);
        let manager = tokio::spawn(async move {
            let mut events = vec![];
            while runner.exit().is_none() || !runner.is_silent() {
                events.push(runner.next().await);
            }
            events
        });
        // The manager is waiting by now.
        tokio::task::yield_now().await;
        handle.then(say("more"));
        handle.then(ScriptStep::Exit(DONE));
        let (wrote, closed) = (RunnerEvent::Wrote(Stream::Stdout, 4), RunnerEvent::Closed);
        assert_eq!(manager.await.unwrap(), [wrote, RunnerEvent::Exited, closed, closed]);
    });
}
