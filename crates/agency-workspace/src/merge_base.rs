//! Questions about a repository itself: where two histories part, and its own settings.

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

    /// The remotes to which a push publishes every ref, those of agency, too.
    #[must_use]
    pub fn mirror_remotes(&self) -> Vec<String> {
        let Ok(common) = self.common_dir() else { return vec![] };
        let config = common.join("config");
        let asked = GitCommand::on(&common).run(["config", "-z", "--type=bool", "--file"]).arg(config);
        let printed = asked.args(["--get-regexp", r"^remote\..*\.mirror$"]).read().unwrap_or_default();
        let settings = String::from_utf8_lossy(&printed);
        let remote = |setting: &str| {
            let (key, value) = setting.split_once('\n')?;
            let name = key.strip_prefix("remote.")?.strip_suffix(".mirror")?;
            (value == "true").then(|| name.to_owned())
        };
        settings.split('\0').filter_map(remote).collect()
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
