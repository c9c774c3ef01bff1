//! Servers that do not answer: what is visible meanwhile, and how fetching from them ends.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use agency_model::ErrorCode;
use agency_testkit::{World, wait_for};
use rustix::process::Signal;

use super::fixture::{LIMIT, empty};

/// A server that asks for a password, and does not answer once it has one.
struct SlowServer {
    address: String,
    authorizations: Arc<Mutex<Vec<String>>>,
}

impl SlowServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let authorizations = Arc::new(Mutex::new(vec![]));
        let seen = Arc::clone(&authorizations);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let seen = Arc::clone(&seen);
                thread::spawn(move || serve(&connection, &seen));
            }
        });
        Self { address, authorizations }
    }

    fn wait_for_password(&self) -> String {
        wait_for("the password", LIMIT, || self.authorizations.lock().unwrap().first().cloned())
    }
}

fn serve(connection: &TcpStream, seen: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(connection);
    loop {
        let mut authorization = None;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = line.strip_prefix("Authorization: ") {
                authorization = Some(value.trim().to_owned());
            }
            if line.trim().is_empty() {
                break;
            }
        }
        match authorization {
            Some(value) => seen.lock().unwrap().push(value),
            None => {
                let asks =
                    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n";
                (&*connection).write_all(asks.as_bytes()).unwrap();
            }
        }
    }
}

/// The command lines of all processes of a world that fetch.
fn command_lines(world: &World) -> Vec<String> {
    let mark = format!("AGENCY_HOME={}\0", world.agency_home().display());
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let of_world = processes.filter(|process| {
        fs::read(process.join("environ")).is_ok_and(|text| String::from_utf8_lossy(&text).contains(&mark))
    });
    let lines = of_world.filter_map(|process| fs::read(process.join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(" fetch ") || line.contains("remote-http")).collect()
}

fn left_of_clones(world: &World) -> Vec<String> {
    let entries = fs::read_dir(world.agency_home().join("sources/git")).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| !name.ends_with(".lock")).collect()
}

#[test]
fn a_password_in_an_address_reaches_the_server_and_is_on_no_command_line() {
    let world = empty();
    let server = SlowServer::start();
    let url = format!("http://me:s3cret%21@{}/x.git", server.address);
    world.ok(&["source", "add", "x", "--git", &url, "--no-sync"]);
    let syncing = world.spawn(&["source", "sync", "x"]);
    // The Base64 of me:s3cret!
    assert_eq!(server.wait_for_password(), "Basic bWU6czNjcmV0IQ==");
    let lines = command_lines(&world);
    assert!(lines.iter().any(|line| line.contains("remote-http")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains("s3cret") || line.contains("me:")), "{lines:#?}");
    syncing.signal(Signal::INT);
    assert_eq!(syncing.wait().status.code(), Some(130));
    wait_for("the end of git", LIMIT, || command_lines(&world).is_empty().then_some(()));
    assert!(left_of_clones(&world).is_empty(), "{:?}", left_of_clones(&world));
}

#[test]
fn git_and_its_helpers_end_when_the_command_is_killed_and_the_next_one_shares_nothing_with_it() {
    for words in [&["source", "sync", "x"][..], &["source", "add", "y"]] {
        let world = empty();
        let server = SlowServer::start();
        let url = format!("http://me:pass@{}/x.git", server.address);
        let mut words = words.to_vec();
        match words[1] {
            "sync" => drop(world.ok(&["source", "add", "x", "--git", &url, "--no-sync"])),
            _ => words.extend(["--git", &url]),
        }
        let first = world.spawn(&words);
        server.wait_for_password();
        let draft = left_of_clones(&world);
        first.signal(Signal::KILL);
        first.wait();
        wait_for("the end of git", LIMIT, || command_lines(&world).is_empty().then_some(()));
        // Another attempt has a draft of its own, and what the first left goes.
        let name = words[2];
        let repo = world.repo("origin");
        let list = world.root().join("home/sources.toml");
        let text = fs::read_to_string(&list).unwrap().replace(&url, repo.path.to_str().unwrap());
        fs::write(&list, text).unwrap();
        world.ok(&["source", "sync", name]);
        assert_eq!(left_of_clones(&world), [name], "{draft:?}");
    }
}

#[test]
fn a_terminal_shows_for_how_long_a_server_is_waited_for_and_ctrl_c_leaves_nothing() {
    let world = empty();
    let server = SlowServer::start();
    let url = format!("http://me:pass@{}/x.git", server.address);
    let terminal = world.terminal(&["source", "add", "slow", "--git", &url]);
    let screen = terminal.wait_for_text("1s slow");
    assert!(!screen.contains("pass"), "{screen}");
    terminal.send_keys(&["C-c"]);
    assert_eq!(terminal.wait_for_exit(), 130);
    world.error(&["source", "show", "slow"], ErrorCode::SourceNotFound);
    wait_for("the end of git", LIMIT, || command_lines(&world).is_empty().then_some(()));
    assert!(left_of_clones(&world).is_empty(), "{:?}", left_of_clones(&world));
}
