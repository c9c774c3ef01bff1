//! What every test of a real agent begins with.

use std::path::Path;
use std::time::Duration;

use agency_testkit::{Form, ModelServer, RealAgent, Repo, Run, Script, World, wait_for};
use serde_json::Value;

/// How long anything may take. Some agents take seven seconds of a whole processor to start, and a minute on a busy machine.
pub(super) const LIMIT: Duration = Duration::from_secs(180);

/// Makes a test for each agent of each function that takes one.
macro_rules! each_agent {
    ($($scenario:ident),+ $(,)?) => {$(
        mod $scenario {
            use agency_testkit::RealAgent;

            #[test]
            fn claude() {
                super::$scenario(RealAgent::Claude);
            }

            #[test]
            fn codex() {
                super::$scenario(RealAgent::Codex);
            }

            #[test]
            fn gemini() {
                super::$scenario(RealAgent::Gemini);
            }

            #[test]
            fn opencode() {
                super::$scenario(RealAgent::Opencode);
            }
        }
    )+};
}

/// A world with a repository, in which one real agent is found, and the model that it talks to.
pub(super) struct Scene {
    pub(super) agent: RealAgent,
    pub(super) world: World,
    pub(super) repo: Repo,
    pub(super) model: ModelServer,
}

impl Scene {
    /// An agent whose model follows a script.
    #[track_caller]
    pub(super) fn new(agent: RealAgent, script: Script) -> Self {
        let mut scene = Self::empty(agent, script);
        scene.world.real_agent(agent, &scene.repo, &scene.model);
        scene
    }

    /// The same for an agent that asks before it runs a command.
    #[track_caller]
    pub(super) fn asking(agent: RealAgent, script: Script) -> Self {
        let mut scene = Self::empty(agent, script);
        scene.world.asking_agent(agent, &scene.repo, &scene.model);
        scene
    }

    #[track_caller]
    fn empty(agent: RealAgent, script: Script) -> Self {
        let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
        let repo = world.repo("project");
        let model = ModelServer::start(script);
        Self { agent, world, repo, model }
    }

    /// Starts a headless conversation in which everything is permitted.
    #[track_caller]
    pub(super) fn begin(&self) -> Run {
        self.begin_with(Form::Conversation, &["--prompt", "do it"])
    }

    /// The same in a form, with a prompt, or anything else, of the test's own.
    #[track_caller]
    pub(super) fn begin_with(&self, form: Form, options: &[&str]) -> Run {
        self.begin_of(form, options, self.agent.permissive(form))
    }

    /// The same with arguments for the agent.
    #[track_caller]
    pub(super) fn begin_of(&self, form: Form, options: &[&str], args: &[&str]) -> Run {
        let form_flag: &[&str] = match form {
            Form::OneShot => &["--one-shot"],
            Form::Conversation => &[],
        };
        self.start(&[form_flag, options, &["--"], args].concat())
    }

    /// Starts a headless conversation in which commands need a permission.
    #[track_caller]
    pub(super) fn begin_asking(&self) -> Run {
        self.start(&[&["--prompt", "do it", "--"], self.agent.asking()].concat())
    }

    #[track_caller]
    fn start(&self, options: &[&str]) -> Run {
        let repo = self.repo.path.to_str().unwrap();
        let always =
            ["run", "--repo", repo, "--runner", self.agent.runner(), "--mode", "headless", "--host", "detached"];
        let answer = self.world.json(&[&always, options].concat());
        self.world.run_with_id(answer["data"]["id"].as_str().unwrap())
    }

    /// Waits for the next open question of a run.
    #[track_caller]
    pub(super) fn question(&self, run: &Run) -> Value {
        self.questions(run, 1).remove(0)
    }

    /// Waits until a run has so many open questions, and gives them, oldest first.
    #[track_caller]
    pub(super) fn questions(&self, run: &Run, count: usize) -> Vec<Value> {
        wait_for("questions", LIMIT, || {
            let inbox = self.world.json(&["inbox"]);
            let all = inbox["data"]["questions"].as_array().unwrap().iter();
            let own: Vec<Value> = all.filter(|question| question["run_id"] == run.id.as_str()).cloned().collect();
            (own.len() >= count).then_some(own)
        })
    }

    /// Answers a question.
    #[track_caller]
    pub(super) fn answer(&self, question: &Value, answer: &[&str]) {
        let id = question["id"].as_str().unwrap();
        self.world.ok(&[&["answer", id], answer].concat());
    }

    /// Waits until a run is over and returns it, however it ended.
    #[track_caller]
    pub(super) fn ended(&self, run: &Run) -> Value {
        wait_for("the end of the run", LIMIT, || run.file("done.json").exists().then_some(()));
        self.world.ended(run)
    }

    /// Stops a run and waits until nothing of it is left.
    #[track_caller]
    pub(super) fn stop(&self, run: &Run) {
        let stopped = self.world.json(&["stop", &run.id])["data"].take();
        assert_eq!((&stopped["state"], &stopped["reason"]), (&"killed".into(), &"stopped".into()), "{stopped:#}");
        run.wait_until_gone();
    }
}
