//! Reading what a run writes while it writes it, until the run has finished.

use std::io;

use agency_model::{EventLine, RunId};

use crate::agency::Agency;
use crate::home::HomeError;
use crate::runs::wait::WaitError;
use crate::store::RunRow;
use crate::watch::{DirectoryWatch, StopHandle, Tail, find_last_line};

impl Agency {
    /// The last event of a run that `find` recognises, searched from the end: a log may be long.
    pub fn last_event<T>(&self, id: &RunId, find: impl Fn(EventLine) -> Option<T>) -> Result<Option<T>, HomeError> {
        let path = self.home.run(id).events();
        find_last_line(&path, |line| find(EventLine::read(line, 0)))
            .map_err(|source| HomeError::new("read", &path, source))
    }

    /// Hands every piece of a file of the run to `each`, and waits for more until the run has finished and all is read.
    pub fn follow(
        &mut self,
        id: &RunId,
        tail: &mut Tail,
        each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), WaitError> {
        self.follow_until(&StopHandle::new(), id, tail, each)
    }

    /// The same for a reader that may leave before, by its handle.
    pub fn follow_until(
        &mut self,
        stop: &StopHandle,
        id: &RunId,
        tail: &mut Tail,
        each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), WaitError> {
        self.follow_to(|row| row.state.is_terminal(), stop, id, tail, each)
    }

    /// The same, but what happens to the work of the run after its end is read as well, until the run is removed.
    pub fn follow_work(
        &mut self,
        id: &RunId,
        tail: &mut Tail,
        each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), WaitError> {
        self.follow_to(|row| row.removed_at.is_some(), &StopHandle::new(), id, tail, each)
    }

    /// Reads until `is_last` is true of the row.
    fn follow_to(
        &mut self,
        is_last: fn(&RunRow) -> bool,
        stop: &StopHandle,
        id: &RunId,
        tail: &mut Tail,
        mut each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), WaitError> {
        let path = tail.path().to_owned();
        let problem = |source| WaitError::Home(HomeError::new("read", &path, source));
        // The end of the run is visible in its own directory, wherever the file is.
        let run = self.home.run(id);
        let watch = DirectoryWatch::stopped_by(&[run.path(), path.parent().unwrap_or(&path)], stop)?;
        let mut found = false;
        while !stop.is_stopped() {
            let row = match self.fresh_row(id) {
                Ok(row) => row,
                // The database was lost since; `agency reconcile` brings the row back.
                Err(error) if found && error.is_lost_row() => {
                    watch.wait(std::time::Duration::MAX);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            found = true;
            // The state is read first: what was written before the end is read after it.
            let ended = !row.state.is_terminal() && self.settle(&row)?.is_some();
            let over = is_last(&if ended { self.fresh_row(id)? } else { row });
            tail.read(&mut each).map_err(problem)?;
            if over {
                return tail.read(&mut each).map_err(problem);
            }
            watch.wait(std::time::Duration::MAX);
        }
        Ok(())
    }
}
