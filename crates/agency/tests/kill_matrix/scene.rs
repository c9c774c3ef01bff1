//! The stage of one case: a repository, two bystanders, and the means to kill at one step.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use agency_testkit::{Repo, Run, World, agent, wait_for};

use super::bystander::Bystander;
use super::cases::Host;

/// Where a run happens to somebody, and two others must not notice.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) repo: Repo,
    pub(super) bystanders: [Bystander; 2],
    point: &'static str,
    witness: PathBuf,
}

impl Scene {
    /// A world in which so many agents may run at once, and one does already.
    pub(super) fn new(point: &'static str, max_agents: u32) -> Self {
        let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
        world.set("max_agents", &max_agents.to_string());
        world.configure("\n[limits]\nstop_grace_seconds = 1\n");
        world.agent("quiet", agent::quiet());
        world.agent("waiting", agent::waiting());
        world.agent("stubborn", agent::stubborn());
        let repo = world.repo("project");
        let done = world.begin(&repo, "quiet", &["--host", "detached", "--mode", "headless"]);
        world.ended(&done);
        done.wait_until_unsupervised();
        let busy = world.begin(&repo, "waiting", &["--host", "tmux"]);
        busy.wait_for_output("ready");
        let bystanders = [Bystander::new(&world, done, "completed"), Bystander::new(&world, busy, "running")];
        let witness = world.root().join("witness");
        Self { world, repo, bystanders, point, witness }
    }

    /// Lets the process that a command becomes die at the step; supervisors that it starts detached, too.
    pub(super) fn doom(&self, command: &mut Command) {
        command.env("AGENCY_FAULT_POINT", self.point).env("AGENCY_FAULT_WITNESS", &self.witness);
    }

    /// Starts a run whose supervisor dies at the step. In tmux it is the server that hands out the environment.
    pub(super) fn run_with_doomed_supervisor(&self, agent: &str, host: Host) {
        let mut command = self.world.run_command(&self.repo, agent, &["--host", host.as_str()]);
        let variables = [("AGENCY_FAULT_POINT", self.point), ("AGENCY_FAULT_WITNESS", self.witness.to_str().unwrap())];
        match host {
            Host::Detached => self.doom(&mut command),
            Host::Tmux => {
                for (name, value) in variables {
                    self.world.tmux(&["set-environment", "-g", name, value]);
                }
            }
        }
        let output = self.world.run(&mut command);
        assert!(output.status.code().is_some(), "the creator lives: {output}");
        if host == Host::Tmux {
            for (name, _) in variables {
                self.world.tmux(&["set-environment", "-g", "-u", name]);
            }
        }
    }

    /// The process really died at the step, and only one did.
    pub(super) fn check_witness(&self) {
        let said = wait_for("the fault point", Duration::from_secs(30), || {
            fs::read_to_string(&self.witness).ok().filter(|said| said.ends_with('\n'))
        });
        assert_eq!(said, format!("{}\n", self.point));
    }

    /// The run that is no bystander, if it came to that.
    pub(super) fn target(&self) -> Option<Run> {
        let mut runs = self.world.runs();
        runs.retain(|run| self.bystanders.iter().all(|bystander| bystander.run.id != run.id));
        assert!(runs.len() <= 1, "{runs:?}");
        runs.pop()
    }

    /// Removes a run, twice, as a user who is not sure would.
    pub(super) fn remove_twice(&self, run: &Run, options: &[&str]) {
        for _ in 0..2 {
            self.world.ok(&[&["rm", &run.id], options].concat());
        }
    }
}
