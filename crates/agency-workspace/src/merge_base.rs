//! Where two lines of commits part.

use std::path::Path;

use super::git_command::GitCommand;
use super::repository::Repository;
use super::{Commit, Result};

impl Repository {
    /// The newest commit that both have; nothing if they share none, or one of them is not known.
    #[must_use]
    pub fn merge_base(&self, one: &str, other: &str) -> Option<Commit> {
        let base = || -> Result<String> {
            let common = self.common_dir()?;
            let asked = GitCommand::on(&common).run(["merge-base", "--end-of-options"]);
            asked.args([one, other]).read_line()
        };
        base().ok()?.parse().ok()
    }

    /// A value of the repository's own configuration.
    #[must_use]
    pub fn own_setting(&self, key: &str) -> Option<String> {
        let common = self.common_dir().ok()?;
        let file = Path::new("--file").to_owned();
        let asked = GitCommand::on(&common).run(["config"]).arg(file).arg(common.join("config")).args(["--get", key]);
        asked.read_line().ok()
    }
}
