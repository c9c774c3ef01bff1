//! Each run has ports of its own, as long as its worktree is there.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use agency_testkit::{Run, World, wait_for};

use super::{begin, propose, world};

const LIMIT: Duration = Duration::from_secs(30);
const SERVER: &str = "require('http').createServer((_, answer) => answer.end(process.env.AGENCY_RUN_ID))\
    .listen(process.env.AGENCY_PORT_WEB, '127.0.0.1');\n";

fn environment(world: &World, run: &Run) -> serde_json::Value {
    world.json(&["shell", &run.id])["data"]["environment"].take()
}

fn port(world: &World, run: &Run, name: &str) -> u16 {
    environment(world, run)[name].as_str().unwrap().parse().unwrap()
}

/// What a web server answers.
fn answer(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    Some(text.split("\r\n\r\n").nth(1)?.to_owned())
}

#[test]
fn two_runs_serve_on_their_own_ports_at_once() {
    let (world, repo) = world();
    repo.commit_file("server.js", SERVER);
    world.agent("server", "exec node server.js");
    // Ports alone need no approval.
    repo.write(".agency/project.toml", "[worktree]\nports = { web = 3000, db = 5432 }\n");
    let runs = [begin(&world, &repo, "server"), begin(&world, &repo, "server")];
    for run in &runs {
        let port = port(&world, run, "AGENCY_PORT_WEB");
        assert!((20_000..30_000).contains(&port), "{port}");
        let said = wait_for("the server answers", LIMIT, || answer(port));
        assert_eq!(said, run.id);
    }
    let names = ["AGENCY_PORT_WEB", "AGENCY_PORT_DB"];
    let mut all: Vec<u16> = runs.iter().flat_map(|run| names.map(|name| port(&world, run, name))).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 4);
    for run in &runs {
        world.ok(&["stop", &run.id]);
    }
}

#[test]
fn ports_are_free_again_when_the_worktree_is_removed() {
    let (world, repo) = world();
    repo.write(".agency/project.toml", "[worktree]\nports = { web = 3000 }\n");
    let first = begin(&world, &repo, "looker");
    world.ended(&first);
    let taken = port(&world, &first, "AGENCY_PORT_WEB");
    let second = begin(&world, &repo, "looker");
    world.ended(&second);
    assert_ne!(port(&world, &second, "AGENCY_PORT_WEB"), taken, "a finished run keeps its ports");
    world.ok(&["rm", &first.id]);
    let third = begin(&world, &repo, "looker");
    world.ended(&third);
    assert_eq!(port(&world, &third, "AGENCY_PORT_WEB"), taken);
}

#[test]
fn a_port_at_which_a_server_listens_is_given_to_no_run() {
    let (world, repo) = world();
    repo.write(".agency/project.toml", "[worktree]\nports = { web = 3000 }\n");
    let first = begin(&world, &repo, "looker");
    world.ended(&first);
    let taken = port(&world, &first, "AGENCY_PORT_WEB");
    let _listening = std::net::TcpListener::bind(("127.0.0.1", taken)).unwrap();
    world.ok(&["rm", &first.id]);
    let second = begin(&world, &repo, "looker");
    world.ended(&second);
    assert_ne!(port(&world, &second, "AGENCY_PORT_WEB"), taken);
}

#[test]
fn setup_agent_and_teardown_find_the_same_ports() {
    let (world, repo) = world();
    let note = |name: &str| format!("echo $AGENCY_PORT_WEB >\\\"$AGENCY_RUN_DIR/{name}\\\"");
    let text = format!(
        "[worktree]\nsetup = [\"{}\"]\nteardown = [\"{}\"]\nports = {{ web = 3000 }}\n",
        note("in-setup"),
        note("in-teardown")
    );
    propose(&world, &repo, &text);
    world.agent("noter", "echo $AGENCY_PORT_WEB >\"$AGENCY_RUN_DIR/in-agent\"");
    let run = begin(&world, &repo, "noter");
    world.ended(&run);
    let port = port(&world, &run, "AGENCY_PORT_WEB").to_string();
    world.ok(&["rm", &run.id]);
    for name in ["in-setup", "in-agent", "in-teardown"] {
        assert_eq!(std::fs::read_to_string(run.file(name)).unwrap().trim(), port, "{name}");
    }
}
