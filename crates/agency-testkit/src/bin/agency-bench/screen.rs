//! A terminal that the benchmark is, with a program on it.

use crate::fixture::LIMIT;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The size of the screen: rows and columns.
pub(crate) const SIZE: (u16, u16) = (50, 180);

/// A program on a terminal that we are.
pub(crate) struct Screen {
    /// The program.
    pub(crate) child: Child,
    terminal: File,
    parser: vt100::Parser,
    /// How many bytes came.
    pub(crate) received: usize,
}

impl Screen {
    /// Starts a program on it.
    pub(crate) fn open(command: &mut Command) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, vec![]).unwrap().into_string().unwrap();
        let program_side = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let size = Winsize { ws_row: SIZE.0, ws_col: SIZE.1, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&program_side, size).unwrap();
        let side = || Stdio::from(program_side.try_clone().unwrap());
        let child = command.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap();
        let [rows, columns] = [SIZE.0, SIZE.1].map(|number| NonZeroU16::new(number).unwrap());
        let parser = vt100::Parser::new(rows, columns, 0);
        Self { child, terminal: File::from(terminal), parser, received: 0 }
    }

    /// Writes keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// How long it takes until the screen is as it should be after a key.
    pub(crate) fn time(&mut self, keys: &str, enough: impl Fn(&vt100::Screen) -> bool) -> Duration {
        let before = Instant::now();
        self.press(keys);
        self.wait(keys, enough);
        before.elapsed()
    }

    /// Reads until the screen is as it should be.
    pub(crate) fn wait(&mut self, what: &str, enough: impl Fn(&vt100::Screen) -> bool) {
        let deadline = Instant::now() + LIMIT;
        while !enough(self.parser.screen()) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "the screen never showed {what}:\n{}", self.parser.screen().contents());
            self.read(left);
        }
    }

    /// Takes in what comes for so long.
    pub(crate) fn rest(&mut self, time: Duration) {
        let deadline = Instant::now() + time;
        while Instant::now() < deadline {
            self.read(deadline.saturating_duration_since(Instant::now()));
        }
    }

    /// Reads what comes next, for so long at most.
    pub(crate) fn read(&mut self, limit: Duration) {
        let limit = Timespec::try_from(limit).unwrap();
        let mut waited = [PollFd::new(&self.terminal, PollFlags::IN)];
        if poll(&mut waited, Some(&limit)).unwrap() > 0 {
            let mut bytes = [0; 64 * 1024];
            let length = self.terminal.read(&mut bytes).unwrap();
            self.parser.process(&bytes[..length]);
            self.received += length;
        }
    }

    /// What is shown.
    pub(crate) fn shown(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// What the program and the programs that it started took of the processor.
    pub(crate) fn processor_time(&self) -> Duration {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = text.rsplit_once(") ").unwrap().1.split(' ').collect();
        // User and system time, its own and that of its children.
        let ticks: u64 = fields[11..15].iter().map(|field| field.parse::<u64>().unwrap()).sum();
        Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    /// What only this process has in memory.
    pub(crate) fn memory(&self) -> u64 {
        crate::rows::private_memory(self.child.id())
    }
}
