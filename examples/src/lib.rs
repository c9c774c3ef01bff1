//! What the examples share: a directory that is deleted at the end, with a git repository in it.
//!
//! A real program has neither. It opens the user's home with `Agency::builder().build()?`.

use std::error::Error;
use std::path::{Path, PathBuf};

use agency_engine::agency::Agency;
use agency_engine::config::Config;
use agency_engine::scripted::sample;
use agency_model::HostChoice;

/// What an example returns: an error ends it with exit code 1, a failed assertion with 101.
pub type Outcome = Result<(), Box<dyn Error>>;

/// A home and a repository for one example.
pub struct Place {
    directory: tempfile::TempDir,
    repository: PathBuf,
}

impl Place {
    /// Makes the directory and the repository.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let directory = tempfile::tempdir()?;
        let repository = sample::create(&directory.path().join("repository"))?.path;
        Ok(Self { directory, repository })
    }

    /// The repository: a small game, with one commit.
    pub fn repository(&self) -> &Path {
        &self.repository
    }

    /// A path in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Opens the home of this place, without tmux and without the user's configuration.
    pub fn agency(&self) -> Result<Agency, Box<dyn Error>> {
        let mut config = Config::default();
        config.host = HostChoice::Detached;
        self.agency_with(config)
    }

    /// The same with a configuration.
    pub fn agency_with(&self, config: Config) -> Result<Agency, Box<dyn Error>> {
        Ok(Agency::builder().home(self.path("home")).config(config).build()?)
    }
}
