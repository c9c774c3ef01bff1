//! Workspaces against a real git, each test in a directory of its own.

#[cfg(test)]
mod changes;
#[cfg(test)]
mod commit_roots;
mod committing;
#[cfg(test)]
mod files;
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
#[cfg(test)]
mod odd_worktrees;
mod opening;
#[cfg(test)]
mod planning;
#[cfg(test)]
mod preparing;
#[cfg(test)]
mod prompt;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod removing;
#[cfg(test)]
mod reviewing;
#[cfg(test)]
mod saving;
#[cfg(test)]
mod symbolic_refs;
#[cfg(test)]
mod world;
