//! A program on a terminal.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use agency_engine::runner::{
    AgentRunner, HeadlessRunner, InputClosed, Listener, ProcessRunner, RunnerCommand, SpawnError, StdinPlan, Stream,
    TerminalSize,
};

use agency_system::process::ProcessHandle;

use super::hearing::{Heard, on_time, shell};

fn listen(command: &RunnerCommand) -> Listener {
    Listener::new(Box::new(AgentRunner::spawn(command).unwrap()))
}

// proves P1
#[test]
fn a_program_has_a_terminal_for_as_long_as_it_lives_and_reads_what_is_typed() {
    on_time(async {
        let script = "for n in 0 1 2; do test -t $n && echo terminal $n; done; stty -echo; echo ready; \
                      read one; echo \"heard $one\"; read two; echo \"heard $two\"";
        let mut listener = listen(&shell(script));
        let mut heard = Heard::default();
        heard.until(&mut listener, "ready\n").await;
        listener.runner().type_in(b"hello\n").unwrap();
        heard.until(&mut listener, "heard hello\n").await;
        listener.runner().type_in(b"again\n").unwrap();
        heard.until(&mut listener, "heard again\n").await;
        assert_eq!(heard.clean, "terminal 0\nterminal 1\nterminal 2\nready\nheard hello\nheard again\n");
        assert_eq!(listener.next().await, None);
        assert!(listener.runner().exit().unwrap().is_success());
    });
}

// proves P1
#[test]
fn a_program_sees_its_terminal_s_size_and_every_change_of_it() {
    on_time(async {
        let script = "stty -echo; trap 'echo resized' WINCH; stty size; read line; stty size; echo end";
        let mut listener = listen(&shell(script).size(TerminalSize::new(20, 70).unwrap()));
        let mut heard = Heard::default();
        heard.until(&mut listener, "20 70\n").await;
        listener.runner().resize(TerminalSize::new(10, 33).unwrap());
        listener.runner().type_in(b"\n").unwrap();
        heard.until(&mut listener, "end\n").await;
        assert!(heard.clean.contains("resized\n") && heard.clean.contains("10 33\n"), "{heard:?}");
    });
}

// proves P1
#[test]
fn the_bytes_are_those_the_program_wrote_and_its_errors_stay_apart() {
    on_time(async {
        let mut listener = listen(&shell(r"printf '\033[1mout\033[0m\n'; printf 'err\n' >&2").separate_stderr());
        let heard = Heard::to_end(&mut listener).await;
        assert_eq!((heard.stdout.as_slice(), heard.stderr.as_slice()), (&b"\x1b[1mout\x1b[0m\n"[..], &b"err\n"[..]));
        assert!(heard.clean.contains("out\n") && !heard.clean.contains('\x1b'), "{heard:?}");
    });
}

// proves P1
#[test]
fn a_program_that_ignores_term_is_killed_with_its_children() {
    on_time(async {
        let mut listener = listen(&shell("trap '' TERM; echo ready; while :; do sleep 600; done"));
        Heard::default().until(&mut listener, "ready\n").await;
        let exit = listener.stop(Duration::from_millis(50)).await.unwrap();
        assert_eq!((exit.exit_code, exit.signal), (None, Some(9)));
        // The sleep would hold the terminal open.
        assert!(listener.runner().is_silent());
    });
}

/// The leader exits on TERM; its child ignores it, and writes, is silent, or has closed its streams.
const LEFT_CHILDREN: [&str; 3] =
    ["while :; do echo more; done", "exec sleep 600", "exec sleep 600 >'/dev/null' 2>&1 </dev/null"];

// proves P1, P2
#[test]
fn a_child_that_ignores_term_is_killed_when_its_leader_has_exited() {
    for child in LEFT_CHILDREN {
        for on_terminal in [true, false] {
            on_time(async {
                let script = format!("(trap '' TERM HUP; echo child $(exec sh -c 'echo $PPID') ready; {child}) & wait");
                let runner: Box<dyn ProcessRunner> = match on_terminal {
                    true => Box::new(AgentRunner::spawn(&shell(&script)).unwrap()),
                    false => Box::new(HeadlessRunner::spawn(&shell(&script)).unwrap()),
                };
                let mut listener = Listener::new(runner);
                let mut heard = Heard::default();
                heard.until(&mut listener, "ready\n").await;
                let pid = heard.clean.split_whitespace().nth(1).unwrap().parse().unwrap();
                let left = ProcessHandle::open(pid).unwrap();
                let exit = listener.stop(Duration::from_millis(50)).await.unwrap();
                assert_eq!(exit.signal, Some(15), "{child}, terminal: {on_terminal}");
                assert!(left.wait(Duration::from_secs(30)), "{child}, terminal: {on_terminal}");
            });
        }
    }
}

#[test]
fn typing_after_the_exit_is_refused() {
    on_time(async {
        let mut listener = listen(&shell("exit 0"));
        Heard::to_end(&mut listener).await;
        assert_eq!(listener.runner().type_in(b"too late\n"), Err(InputClosed));
    });
}

// proves P1
#[test]
fn what_a_program_says_while_it_ends_is_heard() {
    on_time(async {
        let mut listener = listen(&shell("trap 'echo bye; exit 7' TERM; echo ready; while :; do :; done"));
        // A shell that waits for a program when that is ended would print "Terminated" first.
        Heard::default().until(&mut listener, "ready\n").await;
        listener.terminate(Duration::from_secs(30));
        assert_eq!(Heard::to_end(&mut listener).await.stdout, b"bye\n");
        assert_eq!(listener.runner().exit().unwrap().exit_code, Some(7));
    });
}

// proves P1
#[test]
fn the_end_of_input_is_understood_at_a_terminal_too() {
    for typed in ["whole line\n", "half a line", ""] {
        on_time(async {
            let mut listener = listen(&shell("stty -echo; echo ready; cat; echo; echo end"));
            let mut heard = Heard::default();
            heard.until(&mut listener, "ready\n").await;
            listener.runner().type_in(typed.as_bytes()).unwrap();
            listener.runner().close_input();
            heard.until(&mut listener, "end\n").await;
            assert_eq!(heard.clean, format!("ready\n{typed}\nend\n"));
        });
    }
}

#[test]
fn a_prompt_comes_through_a_pipe_although_the_rest_is_a_terminal() {
    let script = "test -t 0 || echo pipe; test -t 1 && echo terminal; cat";
    on_time(async {
        let text = shell(script).stdin(StdinPlan::Text("prompt\n".to_owned()));
        assert_eq!(Heard::to_end(&mut listen(&text)).await.clean, "pipe\nterminal\nprompt\n");

        let mut open = listen(&shell(script).stdin(StdinPlan::Open));
        open.runner().type_in(b"one\n").unwrap();
        let mut heard = Heard::default();
        heard.until(&mut open, "one\n").await;
        open.runner().type_in(b"two\n").unwrap();
        open.runner().close_input();
        assert_eq!(heard.clean + &Heard::to_end(&mut open).await.clean, "pipe\nterminal\none\ntwo\n");
    });
}

#[test]
fn whoever_shows_the_screen_adds_returns_unless_the_program_does() {
    on_time(async {
        let mut listener = listen(&shell("echo ready; read line; stty onlcr; echo ready again; read line"));
        let mut heard = Heard::default();
        heard.until(&mut listener, "ready\n").await;
        assert!(listener.runner().needs_crlf(Stream::Stdout) && listener.runner().needs_crlf(Stream::Stderr));
        listener.runner().type_in(b"\n").unwrap();
        heard.until(&mut listener, "ready again").await;
        assert!(!listener.runner().needs_crlf(Stream::Stdout));
        listener.stop(Duration::from_secs(30)).await;
    });
}

// proves P1
#[test]
fn one_terminal_keeps_output_and_errors_in_the_order_in_which_they_were_written() {
    let script = "n=0; while [ $n -lt 50 ]; do echo out $n; echo err $n >&2; n=$((n + 1)); done";
    let expected: String = (0..50).map(|n| format!("out {n}\nerr {n}\n")).collect();
    on_time(async {
        let heard = Heard::to_end(&mut listen(&shell(script))).await;
        assert_eq!(heard.clean, expected);
        assert_eq!(String::from_utf8(heard.stdout).unwrap(), expected, "everything comes from the one terminal");
        assert!(heard.stderr.is_empty());
    });
}

/// Both streams have been written to before either is read, which a slow reader meets often.
async fn first_streams(runner: Box<dyn ProcessRunner>, written: &std::path::Path) -> Vec<Stream> {
    while !written.exists() {
        tokio::task::yield_now().await;
    }
    let mut listener = Listener::new(runner);
    let mut streams = vec![];
    while let Some(output) = listener.next().await {
        streams.push(output.stream);
    }
    streams.dedup();
    streams
}

// proves P1, P2
// A terminal passes on what was written a little later, so this relies on a gap between the two writes;
// for writes less than about a millisecond apart nothing is promised.
#[test]
fn the_stream_that_was_written_to_first_is_read_first() {
    let directory = tempfile::tempdir().unwrap();
    for round in 0..25 {
        for (first, second, expected) in
            [("1", "2", [Stream::Stdout, Stream::Stderr]), ("2", "1", [Stream::Stderr, Stream::Stdout])]
        {
            for on_terminal in [true, false] {
                let mark = directory.path().join(format!("{round}-{first}-{on_terminal}"));
                let gap = if on_terminal { "sleep 0.02" } else { ":" };
                let script = format!("echo a >&{first}; {gap}; echo b >&{second}; : > '{}'", mark.display());
                on_time(async {
                    let command = shell(&script).separate_stderr();
                    let runner: Box<dyn ProcessRunner> = match on_terminal {
                        true => Box::new(AgentRunner::spawn(&command).unwrap()),
                        false => Box::new(HeadlessRunner::spawn(&command).unwrap()),
                    };
                    assert_eq!(first_streams(runner, &mark).await, expected, "round {round}, terminal: {on_terminal}");
                });
            }
        }
    }
}

#[test]
fn a_grace_of_any_length_is_accepted() {
    on_time(async {
        let mut listener = listen(&shell("echo ready; exec sleep 600"));
        Heard::default().until(&mut listener, "ready\n").await;
        let exit = listener.stop(Duration::MAX).await.unwrap();
        assert_eq!(exit.signal, Some(15));
    });
}

// Runners do not panic outside of tokio.
#[test]
fn a_listener_is_polled_by_another_executor_while_its_runtime_runs() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let within = runtime.enter();
    let mut listener = listen(&shell("trap '' TERM; echo ready; while :; do sleep 600; done"));
    drop(within);
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let running = std::thread::spawn(move || runtime.block_on(ended));
    let exit = poll_outside(async {
        Heard::default().until(&mut listener, "ready\n").await;
        listener.stop(Duration::from_millis(50)).await
    });
    assert_eq!(exit.unwrap().signal, Some(9));
    drop(end);
    running.join().unwrap().unwrap_err();
}

/// Polls in this thread, which has no runtime, with a limit.
fn poll_outside<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    let until = std::time::Instant::now() + Duration::from_secs(60);
    while std::time::Instant::now() < until {
        if let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return done;
        }
        std::thread::yield_now();
    }
    panic!("it did not end");
}

#[test]
fn a_runner_outside_of_a_runtime_is_an_error() {
    let command = shell("echo started");
    let terminal = AgentRunner::spawn(&command).map(drop).unwrap_err();
    let pipes = HeadlessRunner::spawn(&command).map(drop).unwrap_err();
    for error in [terminal, pipes] {
        assert!(matches!(error, SpawnError::NoRuntime), "{error}");
    }
}
