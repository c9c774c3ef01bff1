//! The end of the demo: which works conflict, and one of them lands.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_engine::forecast::{Forecast, ForecastRequest};
use agency_engine::land::{LandChecks, LandRequest, Landed};
use agency_engine::store::RunRow;
use agency_model::run::State;

use crate::problem::Problem;
use crate::view::forecast_text;

/// What became of the work of the agents.
pub(super) struct LandedDemo {
    pub(super) forecast: Forecast,
    /// The work that landed; none if its agent did not complete.
    pub(super) landed: Option<Landed>,
}

/// Forecasts the merges, then lands the work of one agent that completed.
pub(super) fn land_one(
    agency: &mut Agency,
    repository: &Path,
    row: Option<&RunRow>,
    interrupted: &AtomicBool,
) -> Result<LandedDemo, Problem> {
    let forecast = agency.forecast(&ForecastRequest::new(repository).fresh(true))?;
    let mut request = LandRequest::new();
    request.checks = LandChecks::None;
    let completed = row.filter(|row| row.state == State::Completed);
    let landed = completed.map(|row| agency.land(row, &request, &mut |_| {}, interrupted)).transpose()?;
    Ok(LandedDemo { forecast, landed })
}

impl LandedDemo {
    /// What a user sees of it, with the commands that show the same elsewhere.
    pub(super) fn text(&self, name: &str) -> String {
        let forecast = format!("Which works conflict (agency forecast):\n\n{}", forecast_text(&self.forecast));
        match &self.landed {
            Some(Landed { target, commit: Some(commit), .. }) => {
                format!("{forecast}\nLanded (agency land {name}): it is on {target} now, as {commit:.12}\n")
            }
            Some(_) | None => forecast,
        }
    }
}
