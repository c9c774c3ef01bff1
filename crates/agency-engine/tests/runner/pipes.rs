//! A program on pipes.

use agency_engine::runner::{
    AgentRunner, HeadlessRunner, Listener, ProcessRunner, RunnerCommand, RunnerEvent, StdinPlan, Stream,
};
use agency_system::process::ProcessHandle;

use rustix::process::Signal;

use super::hearing::{Heard, on_time, shell};

fn listen(command: &RunnerCommand) -> Listener {
    Listener::new(Box::new(HeadlessRunner::spawn(command).unwrap()))
}

// proves P2
#[test]
fn an_open_input_is_written_and_read_in_turns_and_ends_when_it_is_closed() {
    on_time(async {
        let mut listener = listen(&shell("exec cat").stdin(StdinPlan::Open));
        let mut heard = Heard::default();
        listener.runner().type_in(b"one\n").unwrap();
        heard.until(&mut listener, "one\n").await;
        listener.runner().type_in(b"two\n").unwrap();
        heard.until(&mut listener, "two\n").await;
        // What waits is written before the end.
        listener.runner().type_in(b"three\n").unwrap();
        listener.runner().close_input();
        listener.runner().type_in(b"too late\n").unwrap_err();
        let rest = Heard::to_end(&mut listener).await;
        assert_eq!((heard.clean + &rest.clean).as_str(), "one\ntwo\nthree\n");
        assert!(listener.runner().exit().unwrap().is_success());
    });
}

// proves P2
#[test]
fn more_than_a_pipe_holds_goes_through_both_ways() {
    let sent: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
    on_time(async {
        let mut listener = listen(&shell("exec cat").stdin(StdinPlan::Open));
        listener.runner().type_in(&sent).unwrap();
        listener.runner().close_input();
        assert!(Heard::to_end(&mut listener).await.stdout == sent);
    });
}

// proves P2
#[test]
fn raw_bytes_and_clean_text_come_from_both_streams_and_stay_apart() {
    on_time(async {
        let script = r"printf '\033[31mred\033[0m\n\377'; printf '\033]0;title\007oops\n' >&2";
        let mut listener = listen(&shell(script));
        let heard = Heard::to_end(&mut listener).await;
        assert_eq!(heard.stdout, b"\x1b[31mred\x1b[0m\n\xff");
        assert_eq!(heard.stderr, b"\x1b]0;title\x07oops\n");
        assert!(heard.clean.contains("red\n\u{fffd}") && heard.clean.contains("oops\n"), "{heard:?}");
    });
}

// proves P2
#[test]
fn a_text_is_read_to_its_end_and_no_keyboard_is_an_empty_input() {
    on_time(async {
        let text = StdinPlan::Text("the prompt\n".to_owned());
        assert_eq!(Heard::to_end(&mut listen(&shell("exec cat").stdin(text))).await.clean, "the prompt\n");
        assert_eq!(Heard::to_end(&mut listen(&shell("cat; echo end"))).await.clean, "end\n");
    });
}

#[test]
fn an_input_that_nobody_reads_does_not_hold_up_the_end() {
    on_time(async {
        let mut listener = listen(&shell("exec true").stdin(StdinPlan::Open));
        listener.runner().type_in(&vec![b'x'; 10_000_000]).unwrap();
        Heard::to_end(&mut listener).await;
        assert!(listener.runner().exit().unwrap().is_success());
    });
}

#[test]
fn somebody_who_holds_the_pipe_does_not_hold_up_the_end() {
    on_time(async {
        let mut listener = listen(&shell("sleep 600 & echo $!"));
        let heard = Heard::to_end(&mut listener).await;
        let holder = ProcessHandle::open(heard.clean.trim().parse().unwrap()).unwrap();
        assert!(holder.signal(Signal::KILL));
        assert!(listener.runner().exit().unwrap().is_success());
        assert!(!listener.runner().is_silent());
        assert_eq!(listener.next().await, None);
    });
}

// proves P14
#[test]
fn events_show_the_bytes_in_the_runner_s_own_buffer() {
    on_time(async {
        let mut runner: Box<dyn ProcessRunner> = Box::new(HeadlessRunner::spawn(&shell("echo hi; exit 3")).unwrap());
        assert!(ProcessHandle::open(runner.pid()).is_some());
        let mut written = vec![];
        while runner.exit().is_none() || !runner.is_silent() {
            if let RunnerEvent::Wrote(stream, length) = runner.next().await {
                assert_eq!(stream, Stream::Stdout);
                written.extend_from_slice(runner.written(stream, length));
            }
        }
        assert_eq!(written, b"hi\n");
        assert_eq!(runner.exit().unwrap().exit_code, Some(3));
    });
}

#[test]
fn a_program_starts_with_nothing_but_what_it_was_given() {
    on_time(async {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().canonicalize().unwrap();
        let command = RunnerCommand::new("/bin/sh").args(["-c", "pwd; env"]);
        let command = command.directory(&place).environment([("SECRET", "hidden"), ("PATH", "/usr/bin:/bin")]);
        let heard = Heard::to_end(&mut listen(&command)).await;
        // The shell adds a few of its own.
        let mut lines: Vec<&str> = heard.clean.lines().collect();
        lines.retain(|line| !["PWD=", "SHLVL=", "_=", "OLDPWD="].iter().any(|own| line.starts_with(own)));
        lines.sort_unstable();
        assert_eq!(lines, [place.to_str().unwrap(), "PATH=/usr/bin:/bin", "SECRET=hidden"]);
        assert!(!format!("{command:?}").contains("hidden"));
    });
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let error = on_time(async { HeadlessRunner::spawn(&RunnerCommand::new("/no/such/program")).err() });
    assert_eq!(
        error.unwrap().to_string(),
        "/no/such/program could not be started: No such file or directory (os error 2)"
    );
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let command = shell("true").directory("/no/such/directory");
    let (pipes, terminal) =
        on_time(async { (HeadlessRunner::spawn(&command).err(), AgentRunner::spawn(&command).err()) });
    for error in [pipes, terminal] {
        assert_eq!(
            error.unwrap().to_string(),
            "/bin/sh could not be started in /no/such/directory: No such file or directory (os error 2)"
        );
    }
}

#[test]
fn input_that_nothing_reads_is_refused_instead_of_lost() {
    on_time(async {
        let mut listener = listen(&shell("cat"));
        let refused = listener.runner().type_in(b"hello\n").unwrap_err();
        assert!(refused.to_string().contains("StdinPlan::Open"), "{refused}");
        assert_eq!(Heard::to_end(&mut listener).await.stdout, b"");
    });
}
