//! The life of a run: its states, what can happen to it, and what follows.
//!
//! [`step`] is the only function that changes a run's state; all other code feeds it inputs and
//! carries out its effects.

mod effect;
mod ending;
mod input;
mod state;
mod step;

pub use effect::Effect;
pub use ending::{ChangeStatus, ChangedPath, Ending, Exit, Marker, Reason, Verdict};
pub use input::Input;
pub use state::{FAILURES_ALLOWED, Phase, Progress, RestartPolicy, Run, State, StopCause};
pub use step::{Refusal, Transition, step};
