//! What other users of the machine see of a home, and what the socket of a run answers them.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use agency_engine::wire::{WATCH, write_frame};
use agency_testkit::agent;
use rustix::process::{Uid, geteuid};

use super::world;

const LIMIT: Duration = Duration::from_secs(30);

/// What a supervisor sends first to who watches its agent; nothing if it closes the connection.
fn first_bytes(socket: &Path) -> Vec<u8> {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let mut bytes = [0; 64];
    // The connection may be closed already.
    let length = write_frame(&mut stream, WATCH, &[]).and_then(|()| stream.read(&mut bytes)).unwrap_or(0);
    bytes[..length].to_vec()
}

#[test]
fn the_socket_of_a_run_answers_no_other_user() {
    if !geteuid().is_root() {
        // Only root can become another user.
        return;
    }
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = world.begin(&repo, "waiting", &["--host", "detached"]);
    run.wait_for_output("ready");
    // The closed directories alone would keep others away.
    let socket = run.file("control.sock");
    let above = socket.ancestors().skip(1).take_while(|place| place.starts_with(world.root()));
    for place in above {
        fs::set_permissions(place, fs::Permissions::from_mode(0o711)).unwrap();
    }
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!first_bytes(&socket).is_empty());
    let as_another = {
        let socket = socket.clone();
        std::thread::spawn(move || {
            // It holds for this thread alone.
            let other = Uid::from_raw(65534);
            rustix::thread::set_thread_res_uid(other, other, other).unwrap();
            first_bytes(&socket)
        })
    };
    assert_eq!(as_another.join().unwrap(), Vec::<u8>::new());
    assert_eq!(world.show(&run)["state"], "running");
}

#[test]
fn doctor_warns_of_a_home_that_others_can_enter() {
    let world = world();
    world.ok(&["ls"]);
    fs::set_permissions(world.agency_home(), fs::Permissions::from_mode(0o755)).unwrap();
    let checks = world.agency(&["doctor", "--json"]).object()["data"]["checks"].take();
    let home = checks.as_array().unwrap().iter().find(|check| check["name"] == "home").unwrap();
    assert_eq!(home["health"], "warning", "{home:#}");
    assert!(home["message"].as_str().unwrap().contains("accessible to other users (mode 755)"), "{home:#}");
    assert!(home["fix"].as_str().unwrap().starts_with("chmod 700 "), "{home:#}");
}
