//! Pushes a branch of the user's repository, as the user would.
//!
//! The one rule: only the named branch is pushed, and never by force.

use super::git_command::GitCommand;
use super::{MergeError, Repository, Result, branch};

impl Repository {
    /// The remote that a branch is pushed to unless one is named: its own, else `origin`, else the only one.
    pub fn usual_remote(&self, name: &str) -> Result<Option<String>> {
        let git = || GitCommand::at(self.root());
        let asked = git().run(["config", "--get"]).arg(format!("branch.{name}.remote")).finish()?;
        let own = String::from_utf8_lossy(&asked.stdout).trim_end().to_owned();
        if asked.success && !own.is_empty() && own != "." {
            return Ok(Some(own));
        }
        let listed = git().run(["remote"]).read_line()?;
        let remotes: Vec<&str> = listed.lines().collect();
        let usual = remotes.iter().find(|remote| **remote == "origin");
        Ok(usual.or(if remotes.len() == 1 { remotes.first() } else { None }).map(|remote| (*remote).to_owned()))
    }

    /// The address of a remote; its name, if it has none.
    pub fn address_of_remote(&self, remote: &str) -> Result<String> {
        let asked = GitCommand::at(self.root()).run(["remote", "get-url", "--"]).arg(remote).finish()?;
        let address = String::from_utf8_lossy(&asked.stdout).trim_end().to_owned();
        Ok(if asked.success && !address.is_empty() { address } else { remote.to_owned() })
    }

    /// Pushes a branch to the branch of the same name.
    pub fn push(&self, remote: &str, name: &str) -> std::result::Result<(), MergeError> {
        let reference = branch::full_name(name);
        let git = GitCommand::at(self.root()).in_users_language().env("GIT_TERMINAL_PROMPT", "0");
        let git = git.run(["push", "--quiet", "--no-follow-tags", "--"]).arg(remote);
        let pushed = git.arg(format!("{reference}:{reference}")).finish_despite_hooks()?;
        if pushed.success {
            return Ok(());
        }
        let (remote, branch) = (remote.to_owned(), name.to_owned());
        Err(MergeError::NotPushed { remote, branch, message: pushed.stderr })
    }
}
