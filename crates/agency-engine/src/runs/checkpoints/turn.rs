//! What happened in the turn that a checkpoint is the end of, from the events of the run.

use std::io;

use agency_model::{Event, Usage};
use agency_workspace::CheckpointMoment;

use super::CheckpointsError;
use crate::agency::Agency;
use crate::home::{HomeError, read_whole};
use crate::watch::{EventReader, Tail};

/// What an agent was asked and used between two checkpoints.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct CheckpointTurn {
    /// What it was sent; first the prompt, where none came before.
    pub messages: Vec<String>,
    /// What it used.
    pub usage: Usage,
}

impl Agency {
    /// What happened between a checkpoint and the one before.
    pub fn turn_of_checkpoint(
        &self,
        moment: &CheckpointMoment,
        before: Option<&CheckpointMoment>,
    ) -> Result<CheckpointTurn, CheckpointsError> {
        let directory = self.home.run(&moment.run);
        let before = before.filter(|before| before.run == moment.run).and_then(|before| before.event);
        let until = moment.event.unwrap_or(u64::MAX);
        let mut turn = CheckpointTurn::default();
        if before.is_none() {
            let prompt = read_whole(&directory.file("prompt.md")).ok();
            turn.messages.extend(prompt.map(|prompt| String::from_utf8_lossy(&prompt).into_owned()));
        }
        let mut reader = EventReader::default();
        let mut read = |bytes: &[u8]| {
            for read in reader.feed(bytes) {
                let seq = read.event.seq;
                if seq > until || before.is_some_and(|before| seq <= before) {
                    continue;
                }
                if let Event::Usage(usage) = &read.event.event {
                    turn.usage = turn.usage.plus(*usage);
                }
                if let Event::Message { text } = read.event.event {
                    turn.messages.push(text);
                }
            }
            Ok(())
        };
        let path = directory.events();
        match Tail::at(&path, 0).and_then(|mut tail| tail.read(&mut read)) {
            Ok(()) => Ok(turn),
            // The files of the run are gone, its checkpoints are not.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(turn),
            Err(error) => Err(HomeError::new("read", &path, error).into()),
        }
    }
}
