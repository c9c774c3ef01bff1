//! Issue 17: a program without `init` does not start itself without end.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, ExitCode, Output};
use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_engine::config::Config;
use agency_engine::runs::create::RunRequest;
use agency_model::{Host, Mode};

use super::ROLE;
use super::place::Place;

/// A program that starts a run and never calls `init`. Each of its processes leaves a line.
pub(super) fn main() -> ExitCode {
    let variable = |name: &str| std::env::var_os(name).unwrap();
    let mut starts = OpenOptions::new().append(true).create(true).open(variable("STARTS")).unwrap();
    starts.write_all(b"started\n").unwrap();
    let outcome = (|| -> Result<(), Box<dyn std::error::Error>> {
        let builder = Agency::builder().home(variable("PLACE")).config(Config::default()).program(variable("PROGRAM"));
        let mut agency = builder.build()?;
        let request = RunRequest::new(variable("REPO"), "scripted").prompt("one");
        let plan = agency.plan(request.mode(Mode::Headless).host(Host::Detached))?;
        agency.create(&plan, &AtomicBool::new(false))?;
        Ok(())
    })();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The same program with `execute` in place of `run`: its children continue after their work.
pub(super) fn continuing_main() -> ExitCode {
    // `must_use` warns of it.
    let _ = agency_engine::Init::new().execute().unwrap();
    main()
}

/// Starts it with these arguments; `program` is what it is to start as its supervisor.
fn start(place: &Place, program: &Path, arguments: &[&str]) -> Output {
    start_as("forgetful", place, program, arguments)
}

fn start_as(role: &str, place: &Place, program: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(arguments).env(ROLE, role).env("PROGRAM", program);
    command.env("STARTS", place.file("starts")).env("PLACE", place.home()).env("REPO", &place.repo);
    command.output().unwrap()
}

#[track_caller]
fn assert_refused(output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("call agency_engine::init() at the top of main"), "{said}");
}

fn starts(place: &Place) -> usize {
    std::fs::read_to_string(place.file("starts")).unwrap().lines().count()
}

pub(super) fn without_init_a_run_is_refused_at_once() {
    let place = Place::new();
    assert_refused(&start(&place, &std::env::current_exe().unwrap(), &[]));
    assert_eq!(starts(&place), 1);
}

/// Under another name, the program does not recognise itself; its child recognises what it is.
pub(super) fn without_init_a_program_does_not_start_itself_again() {
    let place = Place::new();
    let other = place.file("other-name");
    symlink(std::env::current_exe().unwrap(), &other).unwrap();
    assert_refused(&start(&place, &other, &[]));
    assert_eq!(starts(&place), 2);
}

pub(super) fn without_init_a_child_opens_nothing() {
    let run = "r_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    for arguments in [&["__agency", "supervise", run][..], &["__agency", "drive"], &["supervise", run]] {
        let place = Place::new();
        assert_refused(&start(&place, Path::new("/bin/false"), arguments));
        assert!(!place.home().exists());
    }
}

pub(super) fn a_child_that_continues_after_its_work_opens_nothing() {
    let place = Place::new();
    let script = place.file("script");
    std::fs::write(&script, "").unwrap();
    let arguments = ["__agency", "scripted", script.to_str().unwrap()];
    let output = start_as("continuing", &place, Path::new("/bin/false"), &arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("its work is done"), "{said}");
    assert!(!place.home().exists());
}
