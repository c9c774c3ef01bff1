//! The files in the user's own checkout that git ignores, of which some are wanted elsewhere.
//!
//! The one rule: only what git ignores is wanted, since anything else would be committed where it is put.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use agency_system::process::file_in_memory;

use super::git_command::GitCommand;
use super::{Repository, Result, WorkspaceError};

/// Which files are wanted.
#[derive(Debug, Clone, Copy)]
pub struct WantedFiles<'a> {
    /// Paths from the top, with `*`, `?`, `[…]` and `**` as in git's `:(glob)`; a directory stands for all in it.
    pub paths: &'a [String],
    /// Lines of a file in the syntax of `.gitignore`.
    pub patterns: &'a [String],
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IgnoredFiles {
    /// Paths below the top of the checkout, sorted; directories that are repositories of their own are not entered.
    pub files: Vec<PathBuf>,
    /// Those of the wanted paths that no file fits.
    pub missing: Vec<String>,
    /// Files that fit and are neither tracked nor ignored.
    pub not_ignored: Vec<PathBuf>,
}

impl Repository {
    /// Finds the wanted files that git ignores here.
    pub fn ignored_files(&self, wanted: WantedFiles<'_>) -> Result<IgnoredFiles> {
        let mut found = IgnoredFiles::default();
        for path in wanted.paths {
            let pathspec = format!(":(top,glob){path}");
            let ignored = self.list(&["--ignored", "--exclude-standard"], Some(&pathspec))?;
            let plain = self.list(&["--exclude-standard"], Some(&pathspec))?;
            if ignored.is_empty() && plain.is_empty() {
                found.missing.push(path.clone());
            }
            found.files.extend(ignored);
            found.not_ignored.extend(plain);
        }
        found.files.extend(self.fitting(wanted.patterns)?);
        for files in [&mut found.files, &mut found.not_ignored] {
            files.sort();
            files.dedup();
        }
        Ok(found)
    }

    /// The ignored files that patterns fit.
    fn fitting(&self, patterns: &[String]) -> Result<Vec<PathBuf>> {
        if patterns.is_empty() {
            return Ok(vec![]);
        }
        let excludes: Vec<String> = patterns.iter().map(|pattern| format!("--exclude={pattern}")).collect();
        let mut options = vec!["--ignored"];
        options.extend(excludes.iter().map(String::as_str));
        let candidates = self.list(&options, None)?;
        let names: Vec<u8> = candidates.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect();
        let names = file_in_memory(&names).map_err(WorkspaceError::io("list the files of", self.root()))?;
        let asked = GitCommand::in_repository(self.root()).run(["check-ignore", "-z", "--stdin"]).input(names);
        let finished = asked.finish()?;
        // Without a word, it fails because nothing is ignored.
        if !finished.success && !finished.stderr.is_empty() {
            let (command, directory) = ("check-ignore".to_owned(), self.root().to_owned());
            return Err(WorkspaceError::Git { command, directory, message: finished.stderr });
        }
        Ok(paths(&finished.stdout))
    }

    fn list(&self, options: &[&str], pathspec: Option<&str>) -> Result<Vec<PathBuf>> {
        let git = GitCommand::in_repository(self.root()).run(["ls-files", "-z", "--others"]).args(options);
        let git = git.arg("--").args(pathspec);
        let listed = paths(&git.read()?);
        // A repository of its own is listed as a directory.
        Ok(listed.into_iter().filter(|path| !path.as_os_str().as_bytes().ends_with(b"/")).collect())
    }
}

fn paths(listed: &[u8]) -> Vec<PathBuf> {
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| Path::new(OsStr::from_bytes(name)).to_owned()).collect()
}
