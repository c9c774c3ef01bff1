//! The ports of runs, each of which one worktree of the home has at a time.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, params};
use tracing::info;

use super::{Store, StoreError};

/// The ports that runs get.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PortRange {
    pub(crate) first: u16,
    pub(crate) count: u16,
    /// How far from the first one the search begins.
    pub(crate) offset: u16,
}

impl Store {
    /// The ports of a worktree, by name.
    pub(crate) fn ports(&self, worktree: &str) -> Result<BTreeMap<String, u16>, StoreError> {
        ports_of(self.connection()?, worktree)
    }

    /// Gives a worktree a port for each name, one after the other where it has none yet. Ports that it has stay. `None`
    /// where no block of ports is free.
    pub(crate) fn claim_ports(
        &mut self,
        worktree: &str,
        names: &BTreeSet<String>,
        range: PortRange,
        is_free: impl Fn(u16) -> bool,
    ) -> Result<Option<BTreeMap<String, u16>>, StoreError> {
        let transaction = self.begin()?;
        // Of worktrees that are gone.
        transaction.execute(
            "DELETE FROM ports WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.worktree_path = ports.worktree_path \
             AND runs.removed_at IS NULL)",
            [],
        )?;
        let mut ports = ports_of(&transaction, worktree)?;
        let missing: Vec<&String> = names.iter().filter(|name| !ports.contains_key(*name)).collect();
        let taken = taken_ports(&transaction)?;
        let usable = |port: u16| !taken.contains(&port) && is_free(port);
        let Some(block) = free_block(missing.len(), range, usable) else { return Ok(None) };
        for (name, port) in missing.into_iter().zip(block) {
            transaction.execute(
                "INSERT INTO ports (port, worktree_path, name) VALUES (?1, ?2, ?3)",
                params![port, worktree, name],
            )?;
            ports.insert(name.clone(), port);
        }
        transaction.commit()?;
        ports.retain(|name, _| names.contains(name));
        info!(worktree, ports = ports.len(), "ports claimed");
        Ok(Some(ports))
    }

    /// Gives the ports of a worktree back.
    pub(crate) fn release_ports(&mut self, worktree: &str) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        transaction.execute("DELETE FROM ports WHERE worktree_path = ?1", [worktree])?;
        Ok(transaction.commit()?)
    }
}

/// So many ports in a row that are usable.
fn free_block(count: usize, range: PortRange, usable: impl Fn(u16) -> bool) -> Option<std::ops::Range<u16>> {
    let count = u16::try_from(count).ok().filter(|count| *count <= range.count)?;
    let last = range.count - count;
    let offsets = (range.offset.min(last)..=last).chain(0..=last);
    let mut blocks = offsets.map(|offset| range.first + offset..range.first + offset + count);
    blocks.find(|block| block.clone().all(&usable))
}

fn ports_of(connection: &Connection, worktree: &str) -> Result<BTreeMap<String, u16>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT name, port FROM ports WHERE worktree_path = ?1")?;
    let rows = statement.query_map([worktree], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn taken_ports(connection: &Connection) -> Result<BTreeSet<u16>, StoreError> {
    let mut statement = connection.prepare("SELECT port FROM ports")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::schema;
    use super::*;

    const RANGE: PortRange = PortRange { first: 100, count: 10, offset: 7 };

    #[test]
    fn a_block_is_free_and_the_search_begins_anywhere() {
        assert_eq!(free_block(2, RANGE, |_| true), Some(107..109));
        assert_eq!(free_block(2, RANGE, |port| port != 108), Some(100..102));
        assert_eq!(free_block(2, RANGE, |port| port != 107), Some(108..110));
        assert_eq!(free_block(2, RANGE, |port| port == 103 || port == 104), Some(103..105));
        assert_eq!(free_block(2, RANGE, |port| port % 2 == 0), None);
        assert_eq!(free_block(10, RANGE, |_| true), Some(100..110));
        assert_eq!(free_block(11, RANGE, |_| true), None);
        assert_eq!(free_block(1, RANGE, |port| port == 106), Some(106..107));
        assert_eq!(free_block(0, RANGE, |_| false), Some(107..107));
    }

    #[test]
    fn a_worktree_of_the_version_before_gets_ports_and_keeps_them_until_they_are_released() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("agency.db");
        let old = Connection::open(&path).unwrap();
        for migration in schema::MIGRATIONS.iter().take(12) {
            old.execute_batch(migration).unwrap();
        }
        old.pragma_update(None, "user_version", 12).unwrap();
        for (id, worktree) in [("r_01ARZ3NDEKTSV4RRFFQ69G5FAV", "/w"), ("r_01ARZ3NDEKTSV4RRFFQ69G5FAW", "/x")] {
            old.execute(
                "INSERT INTO runs (id, name, repo_path, repo_fingerprint, base_ref, base_commit, worktree_path, workspace, \
                 runner_kind, runner_args_json, mode, host, restart_policy, state, created_at, updated_at, stdout_log_path, \
                 stderr_log_path) VALUES (?1, 'old', '/repo', 'f', 'main', 'c', ?2, 'worktree', 'codex', '[]', \
                 'headless', 'detached', 'never', 'queued', ?3, ?3, 'o', 'e')",
                [id, worktree, "2026-01-01T00:00:00Z"],
            )
            .unwrap();
        }
        drop(old);
        let mut store = Store::open(&path, Duration::from_secs(5)).unwrap();
        let range = PortRange { first: 100, count: 4, offset: 0 };
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let mut claim = |worktree: &str, wanted: &[&str]| {
            let claimed = store.claim_ports(worktree, &names(wanted), range, |port| port != 101).unwrap();
            claimed.map(|ports| ports.into_values().collect::<Vec<u16>>())
        };
        assert_eq!(claim("/w", &["db", "web"]), Some(vec![102, 103]));
        assert_eq!(claim("/w", &["db", "web"]), Some(vec![102, 103]), "they stay");
        assert_eq!(claim("/x", &["web"]), Some(vec![100]));
        assert_eq!(claim("/x", &["db", "web"]), None, "nothing is free, and nothing is half claimed");
        assert_eq!(store.ports("/x").unwrap().len(), 1);
        store.release_ports("/w").unwrap();
        assert!(store.ports("/w").unwrap().is_empty());
    }
}
