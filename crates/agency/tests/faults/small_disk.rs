//! A home on a small disk: a tmpfs that only the processes of the test see.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Command;

use agency_testkit::{Output, Process, Repo, World};
use serde_json::Value;

use super::fixture::until;

/// A mount namespace in which the world's home is on a disk of its own. It ends with the value.
pub(super) struct SmallDisk<'a> {
    world: &'a World,
    keeper: Process,
}

impl<'a> SmallDisk<'a> {
    /// Mounts a disk of so many kilobytes over the world's home; panics where that is not possible.
    #[track_caller]
    pub(super) fn mount(world: &'a World, kilobytes: u32) -> Self {
        let mut command = world.program("unshare");
        command.args(["--map-root-user", "--mount", "--", "sh", "-c"]);
        command.arg("mount -t tmpfs -o \"size=$2\" none \"$1\" && echo mounted && exec sleep 3600");
        command.arg("sh").arg(world.agency_home()).arg(format!("{kilobytes}k"));
        let keeper = world.start(&mut command);
        until("a small disk, for which user namespaces are needed", || {
            assert!(keeper.is_running(), "unshare failed: {}", keeper.stderr());
            keeper.stdout().contains("mounted")
        });
        Self { world, keeper }
    }

    /// A path on the disk, as this process can use it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        let home = self.world.agency_home();
        let below_root = home.strip_prefix("/").unwrap().join(name);
        PathBuf::from(format!("/proc/{}/root", self.keeper.id())).join(below_root)
    }

    /// Runs the program where it sees the disk, with `--json`; its answer.
    #[track_caller]
    pub(super) fn answer(&self, arguments: &[&str]) -> Value {
        let mut command = self.world.command(arguments);
        command.arg("--json");
        self.run(&command).object()
    }

    /// Runs the program where it sees the disk.
    #[track_caller]
    pub(super) fn ok(&self, arguments: &[&str]) -> Output {
        let output = self.run(&self.world.command(arguments));
        assert!(output.status.success(), "agency {arguments:?}: {output}");
        output
    }

    /// `agency run` where it sees the disk.
    #[track_caller]
    pub(super) fn run_agent(&self, repo: &Repo, agent: &str, options: &[&str]) -> Value {
        let mut command = self.world.run_command(repo, agent, options);
        command.arg("--json");
        self.run(&command).object()
    }

    /// Runs the program where it sees the disk, on which its temporary files are, too.
    pub(super) fn run_with_temporary_files(&self, arguments: &[&str]) -> Output {
        let mut inside = self.inside(&self.world.command(arguments));
        inside.env("TMPDIR", self.world.agency_home());
        self.world.run(&mut inside)
    }

    fn run(&self, command: &Command) -> Output {
        self.world.run(&mut self.inside(command))
    }

    fn inside(&self, command: &Command) -> Command {
        let mut inside = self.world.program("nsenter");
        inside.args(["--target", &self.keeper.id().to_string(), "--user", "--mount"]);
        inside.args(["--preserve-credentials", "--"]);
        inside.arg(command.get_program()).args(command.get_args());
        inside
    }

    /// Fills the disk to the last byte and proves it.
    #[track_caller]
    pub(super) fn fill(&self) {
        let mut filler = File::options().create(true).append(true).open(self.path("filler")).unwrap();
        let mut size = 64 * 1024;
        while size > 0 {
            match filler.write(&vec![b'x'; size]) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::StorageFull => size /= 2,
                Err(error) => panic!("the disk cannot be filled: {error}"),
            }
        }
        self.assert_full();
    }

    /// Not one byte more fits into a new file.
    #[track_caller]
    pub(super) fn assert_full(&self) {
        self.assert_too_small_for("x");
    }

    /// A file with this content does not fit.
    #[track_caller]
    pub(super) fn assert_too_small_for(&self, content: &str) {
        let probe = self.path("probe");
        let written = fs::write(&probe, content);
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
        // A part of it may have been written; a directory entry may have found no room at all.
        let _ = fs::remove_file(probe);
    }

    /// Makes room again.
    #[track_caller]
    pub(super) fn make_room(&self) {
        fs::remove_file(self.path("filler")).unwrap();
    }

    /// The facts of a run.
    #[track_caller]
    pub(super) fn events(&self, id: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(&format!("runs/{id}/events.ndjson"))).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
