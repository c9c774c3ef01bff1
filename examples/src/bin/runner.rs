//! Runs programs without a run: on a terminal, and on pipes.

use agency_engine::runner::{AgentRunner, HeadlessRunner, Listener, RunnerCommand, StdinPlan, Stream};
use agency_examples::Outcome;

fn main() -> Outcome {
    // The runners need a runtime; `spawn` outside of one is an error.
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        on_a_terminal().await?;
        on_pipes().await
    })
}

/// A program that asks on its terminal. Its output and its errors are one stream, in the order in which it wrote them.
async fn on_a_terminal() -> Outcome {
    let script = r"stty -echo; printf '\033[1mYour name?\033[0m '; read name; echo Hello, $name; echo Bye >&2";
    let command = RunnerCommand::new("/bin/sh").args(["-c", script]).environment([("PATH", "/usr/bin:/bin")]);
    let mut listener = Listener::new(Box::new(AgentRunner::spawn(&command)?));
    let mut text = String::new();
    let mut answered = false;
    while let Some(output) = listener.next().await {
        // `raw` has the bytes as they were written, `clean` the text without control sequences.
        text.push_str(&output.clean);
        if !answered && text.ends_with("Your name? ") {
            listener.runner().type_in(b"Ada\n")?;
            answered = true;
        }
    }
    println!("on a terminal: {text:?}");
    assert_eq!(text, "Your name? Hello, Ada\nBye\n");
    assert!(listener.runner().exit().is_some_and(|exit| exit.is_success()));
    Ok(())
}

/// A program that reads its input to the end. Its two streams stay apart.
async fn on_pipes() -> Outcome {
    let script = "tr a-z A-Z; echo done >&2; exit 3";
    let command = RunnerCommand::new("/bin/sh").args(["-c", script]).environment([("PATH", "/usr/bin:/bin")]);
    let command = command.stdin(StdinPlan::Text("shout\n".to_owned()));
    let mut listener = Listener::new(Box::new(HeadlessRunner::spawn(&command)?));
    let (mut stdout, mut stderr) = (String::new(), String::new());
    while let Some(output) = listener.next().await {
        match output.stream {
            Stream::Stdout => stdout.push_str(&output.clean),
            Stream::Stderr => stderr.push_str(&output.clean),
        }
    }
    println!("on pipes: {stdout:?} and {stderr:?}");
    assert_eq!((stdout.as_str(), stderr.as_str()), ("SHOUT\n", "done\n"));
    assert_eq!(listener.runner().exit().and_then(|exit| exit.exit_code), Some(3));
    Ok(())
}
