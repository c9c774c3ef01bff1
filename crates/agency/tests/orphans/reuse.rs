//! Another process gets the number of an agent that is gone, which a pid namespace lets a test force.

use std::fs;
use std::process::Command;

use agency_testkit::{Output, Process, ProcessTable, World, wait_for};
use rustix::process::Pid;
use serde_json::{Value, json};

use super::fixture::{LIMIT, agent_pid, edit, identity, pid_file, world};

/// A pid namespace of a test's own. All its processes end with the value.
struct Namespace<'a> {
    world: &'a World,
    keeper: Process,
}

impl<'a> Namespace<'a> {
    /// Makes one; panics where that is not possible.
    #[track_caller]
    fn new(world: &'a World) -> Self {
        let mut command = world.program("unshare");
        command.args(["--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child", "--", "bash", "-c"]);
        // The first process of a namespace collects the exit codes of all who lost their parents, and bash does so.
        command.arg("echo made; while :; do sleep 3600 & wait; done");
        let keeper = world.start(&mut command);
        wait_for("a pid namespace, for which user namespaces are needed", LIMIT, || {
            assert!(keeper.is_running(), "unshare failed: {}", keeper.stderr());
            keeper.stdout().contains("made").then_some(())
        });
        Self { world, keeper }
    }

    /// Its first process, as it is numbered here.
    #[track_caller]
    fn first(&self) -> String {
        let keeper = self.keeper.id();
        fs::read_to_string(format!("/proc/{keeper}/task/{keeper}/children")).unwrap().trim().to_owned()
    }

    #[track_caller]
    fn run(&self, command: &Command) -> Output {
        let mut inside = self.world.program("nsenter");
        inside.args(["--target", &self.first(), "--user", "--pid", "--mount", "--preserve-credentials", "--"]);
        inside.arg(command.get_program()).args(command.get_args());
        self.world.run(&mut inside)
    }

    /// What the program answers in there.
    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        self.run(self.world.command(arguments).arg("--json")).object()
    }

    /// What a script prints in there.
    #[track_caller]
    fn script(&self, script: &str, argument: &str) -> String {
        let output = self.run(self.world.program("bash").args(["-c", script, "bash", argument]));
        assert!(output.status.success(), "{output}");
        output.stdout.trim().to_owned()
    }

    /// The orphans that are named in there.
    #[track_caller]
    fn orphans(&self) -> Value {
        self.json(&["agent", "orphans"])["data"]["orphans"].take()
    }

    /// Starts a stranger that gets exactly this number.
    #[track_caller]
    fn stranger(&self, pid: &str) {
        let script = "until
            echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid || exit 1
            sleep 98765 >/dev/null 2>&1 & [ $! = $1 ]
        do kill -KILL $!; done; echo $!";
        assert_eq!(self.script(script, pid), pid);
    }

    /// Ends a process, and waits until its number is free.
    #[track_caller]
    fn kill(&self, pid: &str) {
        self.script("kill -KILL $1; while [ -e /proc/$1 ]; do sleep 0.01; done", pid);
    }
}

/// The stranger of a world, as it is numbered here.
fn outside(world: &World) -> Vec<Pid> {
    let table = ProcessTable::read();
    let ours = table.carrying("AGENCY_HOME", world.agency_home().as_os_str());
    table.started_with(&["98765"]).into_iter().filter(|pid| ours.contains(pid)).collect()
}

// proves P13
#[test]
fn a_stranger_that_gets_the_number_of_an_agent_is_neither_named_nor_killed() {
    let (world, repo) = world();
    world.agent("alone", "trap '' HUP INT TERM\necho ready\nexec sleep 3600");
    let namespace = Namespace::new(&world);
    let options = ["--host", "detached", "--mode", "headless", "--json"];
    let answer = namespace.run(&world.run_command(&repo, "alone", &options)).object();
    let run = world.run_with_id(answer["data"]["id"].as_str().unwrap_or_else(|| panic!("{answer:#}")));
    run.wait_for_output("ready");
    run.kill_supervisor();
    let pid = agent_pid(&run).to_string();
    let named = namespace.orphans();
    assert_eq!((named[0]["pid"].to_string(), named[1].is_null()), (pid.clone(), true), "{named:#}");

    let path = pid_file(&world, &run);
    let before = fs::read(&path).unwrap();
    namespace.kill(&pid);
    namespace.stranger(&pid);
    let [stranger] = outside(&world)[..] else { panic!("{:?}", outside(&world)) };
    let present = identity(stranger.as_raw_nonzero().get().unsigned_abs());
    let refused = |what: &str| {
        let answer = namespace.json(&["agent", "kill-orphan", &pid]);
        assert_eq!(answer["error"]["code"], "E_NOT_AN_ORPHAN", "{what}: {answer:#}");
        assert_eq!(namespace.orphans(), json!([]), "{what}");
        assert!(!path.exists(), "{what}: the pid file is of no more use");
        let checks = namespace.json(&["doctor"])["data"]["checks"].to_string();
        assert!(!checks.contains("still runs"), "{what}: {checks}");
        namespace.json(&["reconcile"]);
        assert_eq!(outside(&world), [stranger], "{what}: the stranger lives");
    };
    refused("as it happens");
    fs::write(&path, &before).unwrap();
    edit(&path, |file| file["process"]["start_time"] = present["start_time"].clone());
    refused("within the same tick");
    fs::write(&path, &before).unwrap();
    edit(&path, |file| file["process"]["pidfd_inode"] = Value::Null);
    refused("on a kernel whose descriptors have no inodes of their own");

    // Only now is it the very process that the file names: all of the above could have failed.
    fs::write(&path, &before).unwrap();
    edit(&path, |file| file["process"]["pidfd_inode"] = present["pidfd_inode"].clone());
    assert_eq!(namespace.orphans()[0]["pid"].to_string(), pid);
    assert_eq!(outside(&world), [stranger]);
}
