//! A home, a repository and a configuration for one test.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use agency_engine::agency::{Agency, AgencyBuilder};
use agency_engine::config::Config;
use agency_engine::runs::create::RunRequest;
use agency_engine::scripted::sample;
use agency_model::{Host, Mode};
use tempfile::TempDir;

use super::ROLE;

pub(crate) struct Place {
    directory: TempDir,
    pub(crate) repo: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let repo = sample::create(&directory.path().join("repository")).unwrap().path;
        Self { directory, repo }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// This program in another role.
    pub(crate) fn program(&self, role: &str) -> PathBuf {
        let program = self.file("other-program");
        let own = std::env::current_exe().unwrap();
        std::fs::write(&program, format!("#!/bin/sh\n{ROLE}={role} exec {} \"$@\"\n", own.display())).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        program
    }

    /// Its home, with the default configuration and the program that runs now.
    pub(crate) fn builder(&self) -> AgencyBuilder {
        Agency::builder().home(self.home()).config(Config::default())
    }

    pub(crate) fn request(&self, agent: &str) -> RunRequest {
        RunRequest::new(&self.repo, agent).prompt("one\ntwo").mode(Mode::Headless).host(Host::Detached)
    }
}
