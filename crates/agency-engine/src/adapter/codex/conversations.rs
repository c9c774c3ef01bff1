//! The conversations of Codex: one file each below `$CODEX_HOME/sessions`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::adapter::conversation_files::{MAX_FILES, lines_of, newest_first};

#[derive(Deserialize)]
struct Rollout {
    payload: Meta,
}

#[derive(Deserialize)]
struct Meta {
    id: String,
    cwd: PathBuf,
}

/// The id of the newest conversation in a directory. The files lie in folders by year, month and day, and their names
/// begin with the time.
pub(super) fn newest(sessions: &Path, directory: &Path) -> Option<String> {
    let mut files = vec![sessions.to_owned()];
    for _ in 0..4 {
        files = files.iter().flat_map(|folder| newest_first(folder)).collect();
        files.truncate(MAX_FILES);
    }
    files.into_iter().find_map(|file| {
        let Rollout { payload } = serde_json::from_str(&lines_of(&file).next()?).ok()?;
        (payload.cwd == directory).then_some(payload.id)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use jiff::Timestamp;

    use super::super::Codex;
    use super::*;
    use crate::adapter::Search;
    use crate::adapter::conversation_files::find_conversation;

    #[test]
    fn the_newest_conversation_of_the_directory_is_found_among_codex_files() {
        let home = tempfile::tempdir().unwrap();
        let write = |day: &str, name: &str, id: &str, cwd: &str| {
            let folder = home.path().join("sessions/2026/11").join(day);
            fs::create_dir_all(&folder).unwrap();
            let meta = format!(r#"{{"type":"session_meta","payload":{{"id":"{id}","cwd":"{cwd}"}}}}"#);
            fs::write(folder.join(name), format!("{meta}\n{{}}\n")).unwrap();
        };
        write("15", "rollout-2026-11-15T10-00-00-a.jsonl", "old", "/w");
        write("16", "rollout-2026-11-16T10-00-00-b.jsonl", "new", "/w");
        write("16", "rollout-2026-11-16T11-00-00-c.jsonl", "other", "/elsewhere");
        fs::write(home.path().join("sessions/2026/11/16/rollout-9-torn.jsonl"), "{").unwrap();
        let environment = BTreeMap::from([("CODEX_HOME".into(), home.path().as_os_str().to_owned())]);
        let found = |directory: &str| {
            let search = Search {
                program: Path::new("codex"),
                directory: Path::new(directory),
                environment: &environment,
                during: (Timestamp::UNIX_EPOCH, None),
            };
            find_conversation(&Codex, &search)
        };
        assert_eq!(found("/w").as_deref(), Some("new"));
        assert_eq!(found("/nowhere"), None);
        write("17", "rollout-2026-11-17T10-00-00-d.jsonl", "--yolo", "/w");
        assert_eq!(found("/w"), None, "an option is no name");
    }
}
