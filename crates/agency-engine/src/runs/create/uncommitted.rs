//! Looks for uncommitted files while the run is created, so that nothing waits for it.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use agency_model::Vcs;
use agency_model::spec::RunSpec;
use agency_workspace::{Commit, Repository, UncommittedCheck};

use super::InputFingerprint;
use super::asked_from::Checkout;

/// So long after it began the run starts without its result.
const LOOKUP_TIME: Duration = Duration::from_millis(20);
/// So long a result is waited for where nothing starts.
const DRY_RUN_TIME: Duration = Duration::from_secs(10);

/// A check of the user's checkout that runs beside the creation of a run.
#[derive(Debug)]
pub struct UncommittedLookup {
    check: UncommittedCheck,
    began: Instant,
    result: Mutex<Receiver<Vec<String>>>,
    found: OnceLock<Vec<String>>,
}

impl UncommittedLookup {
    /// Begins for a run in a worktree of its own from git: with jj the run sees the files themselves.
    pub(super) fn begin(
        spec: &RunSpec,
        vcs: Vcs,
        (checkout, base): (&Checkout, &Commit),
        (inputs, prompt_is_text): (&[InputFingerprint], bool),
    ) -> Option<Arc<Self>> {
        // Where git has no working tree, jj has taken everything in.
        let in_git = !Repository::from_root(checkout.root().to_owned()).has_hidden_git_store();
        if (vcs, in_git) != (Vcs::Git, true) {
            return None;
        }
        let check = UncommittedCheck {
            root: checkout.root().to_owned(),
            base: base.as_str().to_owned(),
            prompt: spec.prompt.as_ref().filter(|_| !prompt_is_text).map(|prompt| prompt.path.clone()),
            inputs: inputs.iter().map(|input| input.path.clone()).collect(),
            worktree: checkout.worktree().map(Box::new),
        };
        let (sender, result) = channel();
        let looking = check.clone();
        let thread = thread::Builder::new().name("uncommitted".to_owned()).spawn(move || {
            // If the run has started meanwhile, its supervisor looks by itself.
            let _ = sender.send(looking.warnings());
        });
        thread.ok()?;
        Some(Arc::new(Self { check, began: Instant::now(), result: Mutex::new(result), found: OnceLock::new() }))
    }

    /// Takes the result, if it is there in time; else what is left to look for.
    pub(super) fn take(&self) -> Result<&[String], UncommittedCheck> {
        self.wait(LOOKUP_TIME).ok_or_else(|| self.check.clone())
    }

    fn wait(&self, limit: Duration) -> Option<&[String]> {
        if let (None, Ok(result)) = (self.found.get(), self.result.lock()) {
            let left = limit.saturating_sub(self.began.elapsed());
            if let Ok(warnings) = result.recv_timeout(left) {
                // Only one waiter gets the result.
                let _ = self.found.set(warnings);
            }
        }
        self.found.get().map(Vec::as_slice)
    }

    /// What was found in time.
    pub(super) fn found(&self) -> &[String] {
        self.found.get().map(Vec::as_slice).unwrap_or_default()
    }

    /// The result, which is waited for because nothing is started.
    pub(super) fn finish(&self) -> &[String] {
        self.wait(DRY_RUN_TIME).unwrap_or_default()
    }
}
