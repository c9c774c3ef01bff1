//! What the document about processes asks of the runners, scenario by scenario.

use agency_engine::runner::{AgentRunner, AnsiStripper, HeadlessRunner, Listener, StdinPlan};

use super::hearing::{Heard, on_time, shell};

// proves P1
#[test]
fn lifecycle_management() {
    on_time(async {
        let agent = AgentRunner::spawn(&shell("test -t 0 && echo terminal; while :; do sleep 0.05; done")).unwrap();
        let mut listener = Listener::new(Box::new(agent));
        Heard::default().until(&mut listener, "terminal\n").await;
        assert!(listener.runner().exit().is_none(), "it has its terminal until it is stopped");
        listener.runner().terminate();
        Heard::to_end(&mut listener).await;
        assert!(listener.runner().exit().is_some());
    });
}

// proves P1
#[test]
fn bi_directional_communication() {
    on_time(async {
        let agent = AgentRunner::spawn(&shell("stty -echo; echo ready; read word; echo \"heard $word\"")).unwrap();
        let mut listener = Listener::new(Box::new(agent));
        let mut heard = Heard::default();
        heard.until(&mut listener, "ready\n").await;
        listener.runner().type_in(b"hello\n").unwrap();
        heard.until(&mut listener, "heard hello\n").await;
    });
}

// proves P2
#[test]
fn headless_output_capture() {
    on_time(async {
        let agent = HeadlessRunner::spawn(&shell(r"printf '\033[1mout\033[0m\n'; echo err >&2")).unwrap();
        let heard = Heard::to_end(&mut Listener::new(Box::new(agent))).await;
        assert_eq!((heard.stdout.as_slice(), heard.stderr.as_slice()), (&b"\x1b[1mout\x1b[0m\n"[..], &b"err\n"[..]));
        assert!(heard.clean.contains("out\n") && heard.clean.contains("err\n") && !heard.clean.contains('\x1b'));
    });
}

// proves P2
#[test]
fn headless_input() {
    on_time(async {
        let agent = HeadlessRunner::spawn(&shell("read word; echo \"heard $word\"").stdin(StdinPlan::Open)).unwrap();
        let mut listener = Listener::new(Box::new(agent));
        listener.runner().type_in(b"hello\n").unwrap();
        Heard::default().until(&mut listener, "heard hello\n").await;
    });
}

// proves P4
#[test]
fn ansi_stripping() {
    let mut cleaner = AnsiStripper::new();
    let text: String = [&b"\x1b[3"[..], b"1mred\x1b[0m \x1b]0;ti", b"tle\x07and \x1b[2Kplain\n"]
        .into_iter()
        .map(|piece| cleaner.feed(piece))
        .collect();
    assert_eq!(text, "red and plain\n");
}
