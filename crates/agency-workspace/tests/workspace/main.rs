//! Workspaces against a real git, each test in a directory of its own.

#[cfg(test)]
mod changes;
#[cfg(test)]
mod checking;
#[cfg(test)]
mod checkpoints;
#[cfg(test)]
mod checkpoints_forged;
#[cfg(test)]
mod checkpoints_index;
#[cfg(feature = "fault-points")]
#[cfg(test)]
mod checkpoints_killed;
#[cfg(test)]
mod checkpoints_restored;
#[cfg(test)]
mod commit_roots;
#[cfg(test)]
mod committing;
#[cfg(test)]
mod files;
#[cfg(test)]
mod files_now;
#[cfg(test)]
mod forecasting;
#[cfg(test)]
mod hidden_work;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod included_settings;
#[cfg(test)]
mod interrupted;
#[cfg(test)]
mod jj;
#[cfg(feature = "fault-points")]
#[cfg(test)]
mod killed;
#[cfg(test)]
mod links;
#[cfg(test)]
mod looking_again;
#[cfg(test)]
mod merging;
#[cfg(test)]
mod merging_checkouts;
#[cfg(test)]
mod merging_conflicts;
#[cfg(test)]
mod merging_dirty;
#[cfg(test)]
mod merging_hooks;
#[cfg(feature = "fault-points")]
#[cfg(test)]
mod merging_killed;
#[cfg(feature = "fault-points")]
#[cfg(test)]
mod merging_killed_git;
#[cfg(test)]
mod merging_partly;
#[cfg(test)]
mod merging_planted;
#[cfg(test)]
mod odd_worktrees;
#[cfg(test)]
mod opening;
#[cfg(test)]
mod planning;
#[cfg(test)]
mod preparing;
#[cfg(test)]
mod prompt;
#[cfg(test)]
mod protecting;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod relative_programs;
#[cfg(test)]
mod removing;
#[cfg(test)]
mod replaced_objects;
#[cfg(test)]
mod reviewing;
#[cfg(test)]
mod saving;
#[cfg(test)]
mod symbolic_refs;
#[cfg(test)]
mod world;
