//! Leaving: runs go on, the terminal is as it was, whatever made us leave.

use std::fs;
use std::process::Command;

use agency_testkit::{World, wait_for};

use super::fixture::{LIMIT, screen, screen_with, waiting, world};

/// The process of the screen.
fn pid_of_screen(world: &World) -> u32 {
    let home = world.agency_home().display().to_string();
    wait_for("the process of the screen", LIMIT, || {
        fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            let ours = String::from_utf8_lossy(&environment).contains(&format!("AGENCY_HOME={home}\0"));
            (line.starts_with(env!("CARGO_BIN_EXE_agency").as_bytes()) && line.ends_with(b"\0tui\0") && ours)
                .then_some(pid)
        })
    })
}

fn signal(pid: u32, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap().success());
}

#[test]
fn quitting_leaves_every_run_alone_and_the_terminal_as_it_was() {
    let (world, repo) = world();
    let run = waiting(&world, &repo, "kitchen");
    for keys in ["q", "C-c"] {
        let terminal = screen(&world, "kitchen");
        terminal.send_keys(&[keys]);
        assert_eq!(terminal.wait_for_exit(), 0);
        let left = terminal.screen();
        assert!(!left.contains("kitchen"), "the other screen is gone:\n{left}");
        // Raw mode would not echo.
        terminal.type_text("echoed");
        terminal.wait_for_text("echoed");
    }
    assert_eq!(world.show(&run)["state"], "running");
}

#[test]
fn a_signal_that_ends_it_restores_the_terminal_too() {
    let (world, repo) = world();
    let run = waiting(&world, &repo, "kitchen");
    for name in ["TERM", "HUP"] {
        let terminal = screen(&world, "kitchen");
        signal(pid_of_screen(&world), name);
        terminal.wait_for_exit();
        assert!(!terminal.screen().contains("kitchen"));
        terminal.type_text("echoed");
        terminal.wait_for_text("echoed");
    }
    assert_eq!(world.show(&run)["state"], "running");
}

#[test]
fn a_panic_restores_the_terminal_and_leaves_a_report() {
    let (world, repo) = world();
    let run = waiting(&world, &repo, "kitchen");
    let terminal = screen_with(&world, &["AGENCY_PANIC_POINT=tui.draw"], &["tui"]);
    let shown = terminal.wait_for_text("the TUI crashed");
    assert!(shown.contains("runs continue"), "{shown}");
    assert_ne!(terminal.wait_for_exit(), 0);
    terminal.type_text("echoed");
    terminal.wait_for_text("echoed");
    let reports: Vec<_> = fs::read_dir(world.agency_home().join("crashes")).unwrap().flatten().collect();
    assert_eq!(reports.len(), 1);
    let report = fs::read_to_string(reports[0].path()).unwrap();
    assert!(report.contains("tui.draw panics on request"), "{report}");
    assert_eq!(world.show(&run)["state"], "running");
}

#[test]
fn killing_it_harms_nothing() {
    let (world, repo) = world();
    let run = waiting(&world, &repo, "kitchen");
    let terminal = screen(&world, "kitchen");
    signal(pid_of_screen(&world), "KILL");
    terminal.wait_for_exit();
    assert_eq!(world.show(&run)["state"], "running");
    screen(&world, "kitchen");
}

#[test]
fn it_can_be_put_aside_as_a_job_of_the_shell() {
    let (world, repo) = world();
    waiting(&world, &repo, "kitchen");
    let mut shell = world.program("bash");
    let program = env!("CARGO_BIN_EXE_agency");
    shell.args(["--norc", "-i", "-c", &format!("{program} tui; echo put aside; fg; echo come back")]);
    let terminal = world.terminal_with(&shell);
    terminal.wait_for_text("kitchen");
    terminal.send_keys(&["C-z"]);
    // The shell goes on and brings it back at once: it draws itself anew.
    terminal.wait_for_text("kitchen");
    terminal.send_keys(&["q"]);
    terminal.wait_for_text("come back");
    assert!(terminal.screen().contains("put aside"), "{}", terminal.screen());
}
