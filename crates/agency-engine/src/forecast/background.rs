//! Forecasts that no user waits for: after the work of a run was recorded, a process of low priority makes one.
//!
//! The one rule: at most one such process works for a repository. A request that comes meanwhile is a file, which is
//! deleted before the work is read; so none is lost, and several become one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use agency_system::lock::Lock;
use agency_system::process::{INDEPENDENT_VARIABLE, RUN_ID_VARIABLE, in_new_session, lower_priority};
use agency_workspace::Repository;
use tracing::{debug, warn};

use super::{ForecastError, ForecastRequest};
use crate::agency::Agency;
use crate::home::{Home, HomeError, create_private_directory, write_atomically};
use crate::own_program::{FORECAST, RESERVED_ARGUMENT};
use crate::store::RunRow;

/// Asks for a forecast of a repository and returns at once. `executable` is the program that supervises. The process that
/// makes the forecast is returned, to be waited for when it has ended.
#[expect(clippy::disallowed_methods, reason = "the process that forecasts is started here")]
fn request_forecast(home: &Home, executable: &Path, repository: &Path) -> Result<std::process::Child, HomeError> {
    create_private_directory(&home.forecasts())?;
    let asked = asked_file(home, repository);
    write_atomically(&asked, b"")?;
    let mut command = Command::new(executable);
    command.args([RESERVED_ARGUMENT, FORECAST]).arg(repository);
    command.env("AGENCY_HOME", home.root()).env(INDEPENDENT_VARIABLE, "1").env_remove(RUN_ID_VARIABLE);
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = in_new_session(&mut command).spawn();
    child.map_err(|source| HomeError::new("start", executable, source))
}

/// Does the same, and waits for the process in a thread, so that no ended process is left.
pub(crate) fn forecast_beside(home: &Home, executable: &Path, repository: &Path) {
    match request_forecast(home, executable, repository) {
        // A thread that cannot be started leaves an ended process as long as this one lives.
        Ok(mut child) => drop(thread::Builder::new().name("forecast".to_owned()).spawn(move || child.wait())),
        Err(error) => debug!(%error, "no forecast was started"),
    }
}

impl Agency {
    /// Asks for a forecast because a target moved: other runs may conflict with it now.
    pub(crate) fn forecast_after_landing(&self, row: &RunRow) {
        let Ok(repository) = self.repository_of(row) else { return };
        let others = || self.unlanded(&repository).is_ok_and(|rows| rows.iter().any(|other| other.id != row.id));
        if self.config.forecast.automatic && others() {
            forecast_beside(&self.home, &self.executable, &repository);
        }
    }
}

/// Makes the forecasts that are asked for.
pub(crate) fn run_in_background(agency: &mut Agency, repository: &Path) -> Result<(), ForecastError> {
    if !agency.config.forecast.automatic {
        return Ok(());
    }
    lower_priority();
    let asked = asked_file(agency.home(), repository);
    // A process that asks makes the file before it tries the lock. If another one holds the lock, that one looks for the
    // file again after it has released it.
    while is_asked(&asked) {
        let Some(_lock) = Lock::take(&asked.with_extension("lock"), Duration::ZERO)? else { return Ok(()) };
        if let Err(error) = fs::remove_file(&asked) {
            debug!(%error, "the request is gone");
        }
        if let Err(error) = agency.forecast(&ForecastRequest::new(repository)) {
            warn!(%error, "no forecast could be made");
        }
    }
    Ok(())
}

fn is_asked(asked: &Path) -> bool {
    File::open(asked).is_ok()
}

fn asked_file(home: &Home, repository: &Path) -> PathBuf {
    let name = Repository::from_root(repository.to_owned()).fingerprint();
    home.forecasts().join(format!("{name}.asked"))
}
