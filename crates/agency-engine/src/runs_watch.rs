//! The runs as they change: which are new, which are different, which were removed, and what their agents ask.
//!
//! Every change is a write to the database, and whether there was one is asked for a few microseconds. So a watcher looks
//! now and then, as often as it likes; being woken by the kernel at each write would cost more where many agents are at
//! work. A look that finds something costs what the live runs cost, however many there are in all. A watcher only
//! reads, apart from reconciling what died; it may be killed at any moment.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use agency_model::{RunId, RunKind};

use crate::agency::Agency;
use crate::store::{QuestionRow, RunFilter, RunRow, StoreError};

/// How many runs come with the first look; the others follow with the second, so that nobody waits for old ones.
const FIRST: u32 = 200;
/// How often it is looked which runs there are at all, and whether a supervisor died: neither is told by live rows.
const ROUND: Duration = Duration::from_secs(2);

/// What changed since the last look.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunsNews {
    /// Runs that are new or different.
    pub changed: Vec<RunRow>,
    /// Runs that were removed.
    pub gone: Vec<RunId>,
    /// All open questions, oldest first, if they are others than before.
    pub questions: Option<Vec<QuestionRow>>,
}

impl RunsNews {
    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty() && self.questions.is_none()
    }
}

/// Somebody who watches the runs; those that there are come with the first two looks. Questions of `agency ask` are not
/// among them.
#[derive(Debug, Default)]
pub struct RunsWatch {
    version: Option<i64>,
    present: Option<HashSet<RunId>>,
    live: HashMap<RunId, RunRow>,
    questions: Vec<QuestionRow>,
    round: Option<Instant>,
}

impl RunsWatch {
    /// What changed since the last look.
    pub fn look(&mut self, agency: &mut Agency) -> Result<RunsNews, StoreError> {
        let round = self.round.is_none_or(|round| round.elapsed() >= ROUND);
        if round {
            self.round = Some(Instant::now());
            agency.reconcile_live()?;
        }
        let version = agency.store.data_version()?;
        // What we reconcile ourselves is no change of the version, so a round looks all the same.
        if self.version == Some(version) && !round {
            return Ok(RunsNews::default());
        }
        let first = self.version.replace(version).is_none();
        let mut news = RunsNews::default();
        self.look_at_live(agency, &mut news)?;
        if first {
            let newest = RunFilter { except: Some(RunKind::Ask), limit: Some(FIRST), ..RunFilter::default() };
            news.changed.extend(agency.store.list(&newest)?.into_iter().filter(|row| !self.live.contains_key(&row.id)));
            self.round = None;
        } else if round {
            self.look_at_present(agency, &mut news)?;
        }
        let questions = agency.store.open_questions()?;
        if first || questions != self.questions {
            self.questions.clone_from(&questions);
            news.questions = Some(questions);
        }
        Ok(news)
    }

    fn look_at_live(&mut self, agency: &Agency, news: &mut RunsNews) -> Result<(), StoreError> {
        let rows = agency.store.live()?.into_iter().filter(|row| row.kind != RunKind::Ask);
        let now: HashMap<RunId, RunRow> = rows.map(|row| (row.id.clone(), row)).collect();
        for ended in self.live.keys().filter(|id| !now.contains_key(id)) {
            news.changed.push(agency.store.run(ended)?);
        }
        news.changed.extend(now.values().filter(|row| self.live.get(&row.id) != Some(row)).cloned());
        self.live = now;
        Ok(())
    }

    fn look_at_present(&mut self, agency: &Agency, news: &mut RunsNews) -> Result<(), StoreError> {
        let now = agency.store.present()?;
        let Some(before) = self.present.take() else {
            let all = RunFilter { except: Some(RunKind::Ask), ..RunFilter::default() };
            news.changed.extend(agency.store.list(&all)?.into_iter().filter(|row| !self.live.contains_key(&row.id)));
            self.present = Some(now);
            return Ok(());
        };
        for id in now.difference(&before).filter(|id| !self.live.contains_key(id)) {
            let row = agency.store.run(id)?;
            news.changed.extend((row.kind != RunKind::Ask).then_some(row));
        }
        news.gone.extend(before.difference(&now).cloned());
        self.present = Some(now);
        Ok(())
    }
}
