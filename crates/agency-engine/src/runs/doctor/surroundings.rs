//! Examines what runs depend on besides the database: git, jj, tmux, the home.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use agency_model::{HostChoice, VcsChoice, shell_quoted};
use agency_workspace::{JjError, OLDEST_JJ, WorkspaceError, jj_version};

use super::{Check, Health};
use crate::config::Config;
use crate::home::Home;
use crate::host::Tmux;

/// Examines what does not need the database.
#[must_use]
pub fn examine_surroundings(home: &Home, config: &Config) -> Vec<Check> {
    vec![git(), jj(config), tmux(config), home_access(home), diagnostics(home)]
}

#[expect(clippy::disallowed_methods, reason = "git is asked for its version, whatever directory it is in")]
fn git() -> Check {
    match first_line(Command::new("git").arg("--version")) {
        Some(version) => Check::ok("git", version),
        None => Check::bad("git", Health::Problem, "git does not answer", "install git (apt-get install git)"),
    }
}

fn jj(config: &Config) -> Check {
    let error = match jj_version() {
        Ok(version) => return Check::ok("jj", version),
        Err(error) => error,
    };
    let fix = format!("install jj {OLDEST_JJ} or newer, or set vcs = \"git\"");
    let missing = matches!(error, WorkspaceError::Jj(JjError::Missing));
    match config.vcs {
        VcsChoice::Jj => Check::bad("jj", Health::Problem, error.to_string(), fix),
        VcsChoice::Auto if !missing => Check::bad("jj", Health::Warning, error.to_string(), fix),
        // Git makes the workspaces, also in repositories of jj where it can.
        VcsChoice::Auto | VcsChoice::Git => {
            Check { fix: Some(fix), ..Check::ok("jj", format!("{error}; only needed if you use it")) }
        }
    }
}

fn tmux(config: &Config) -> Check {
    match Tmux::new(config.tmux_socket.clone()).version() {
        Ok(version) => Check::ok("tmux", version),
        Err(error) => {
            let (health, fix) = match config.host {
                HostChoice::Tmux => (Health::Problem, "apt-get install tmux, or set host = \"auto\""),
                HostChoice::Auto => (Health::Warning, "apt-get install tmux; until then runs are detached"),
                HostChoice::Detached => (Health::Warning, "apt-get install tmux, if you want to use it"),
            };
            Check::bad("tmux", health, error.to_string(), fix)
        }
    }
}

fn first_line(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned();
    output.status.success().then_some(text)
}

fn home_access(home: &Home) -> Check {
    let path = home.root();
    let unusable = |what: &str, error: &std::io::Error| {
        let message = format!("{} cannot be {what}: {error}", path.display());
        Check::bad("home", Health::Problem, message, "make room, correct its owner, or set AGENCY_HOME")
    };
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return match can_be_created(path) {
                Ok(()) => Check::ok("home", format!("{} does not exist yet; the first run creates it", path.display())),
                Err(error) => unusable("created", &error),
            };
        }
        Err(error) => return unusable("used", &error),
    };
    if let Err(error) = tempfile::tempfile_in(path) {
        return unusable("written", &error);
    }
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let message = format!("{} is accessible to other users (mode {mode:o})", path.display());
        return Check::bad("home", Health::Warning, message, format!("chmod 700 {}", shell_quoted(path)));
    }
    Check::ok("home", path.display().to_string())
}

/// Where diagnostics are, for a user who has to find out what went wrong.
fn diagnostics(home: &Home) -> Check {
    let message = format!(
        "each supervisor writes supervisor.log to its run directory below {}; -v and AGENCY_LOG=debug record more",
        home.runs().display()
    );
    Check::ok("diagnostics", message)
}

/// Whether the nearest directory above that exists can be written.
fn can_be_created(path: &Path) -> std::io::Result<()> {
    let above = path.ancestors().skip(1).find(|above| above.symlink_metadata().is_ok());
    tempfile::tempfile_in(above.unwrap_or(Path::new("/"))).map(|_| ())
}
