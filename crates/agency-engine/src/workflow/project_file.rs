//! The project file that a project begins with, by what its directory holds.
//!
//! The one rule: every line of it is a comment, so that it proposes nothing before a user has edited it.

use std::fmt::Write;
use std::path::Path;

/// What a kind of project needs.
struct Kind {
    /// A file that tells it.
    sign: &'static str,
    setup: Option<&'static str>,
    teardown: Option<&'static str>,
    check: Option<&'static str>,
}

impl Kind {
    const fn with_setup(sign: &'static str, setup: &'static str, check: &'static str) -> Self {
        Self { sign, setup: Some(setup), teardown: None, check: Some(check) }
    }

    const fn compose(sign: &'static str) -> Self {
        Self { sign, setup: None, teardown: Some("docker compose down"), check: None }
    }
}

/// The kinds that are known; of those on one line, the first that is found counts.
const KINDS: &[&[Kind]] = &[
    &[
        Kind::with_setup("pnpm-lock.yaml", "pnpm install --frozen-lockfile", "pnpm test"),
        Kind::with_setup("yarn.lock", "yarn install --immutable", "yarn test"),
        Kind::with_setup("package-lock.json", "npm ci", "npm test"),
        Kind::with_setup("package.json", "npm install", "npm test"),
    ],
    &[Kind::with_setup("Cargo.toml", "cargo fetch", "cargo test")],
    &[
        Kind::with_setup("uv.lock", "uv sync --frozen", "uv run pytest"),
        Kind::with_setup(
            "requirements.txt",
            "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
            ".venv/bin/pytest",
        ),
        Kind::with_setup("pyproject.toml", "python3 -m venv .venv && .venv/bin/pip install -e .", ".venv/bin/pytest"),
    ],
    &[Kind::with_setup("go.mod", "go mod download", "go test ./...")],
    &[
        Kind::compose("compose.yaml"),
        Kind::compose("compose.yml"),
        Kind::compose("docker-compose.yaml"),
        Kind::compose("docker-compose.yml"),
    ],
];

/// The text of the file.
pub(super) fn project_file(root: &Path) -> String {
    let found: Vec<&Kind> = KINDS
        .iter()
        .filter_map(|kinds| kinds.iter().find(|kind| root.join(kind.sign).symlink_metadata().is_ok()))
        .collect();
    let of = |part: fn(&Kind) -> Option<&'static str>| found.iter().filter_map(|kind| part(kind)).collect::<Vec<_>>();
    let (setup, teardown, check) = (of(|kind| kind.setup), of(|kind| kind.teardown), of(|kind| kind.check));
    let mut text = "\
# What agency does for worktrees and landings of this repository. Remove the # of a line to use it, then run
# agency trust: nothing in this file is executed or copied before its user has approved it as it is.

# [worktree]
# copy = [\".env\"]                # files that git ignores, copied from your own checkout
"
    .to_owned();
    // Writing to a string does not fail.
    let mut line = |key: &str, values: &[&str], about: &str| {
        let _ = writeln!(text, "# {key} = {values:?}   # {about}");
    };
    line("link", &["data"], "symbolic links to your own checkout, writable by agents");
    line(
        "setup",
        if setup.is_empty() { &["make setup"] } else { &setup },
        "once per worktree, before the agent starts",
    );
    line("teardown", if teardown.is_empty() { &["make clean"] } else { &teardown }, "before the worktree is removed");
    text.push_str("# ports = { web = 3000 }         # AGENCY_PORT_WEB: a free port for each run\n\n# [land]\n");
    let checks = if check.is_empty() { vec!["make test"] } else { check };
    let _ = writeln!(text, "# check = {checks:?}   # each has to succeed on the merged files");
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn it_proposes_nothing_and_shows_what_fits() {
        let place = tempfile::tempdir().unwrap();
        for sign in ["package.json", "package-lock.json", "Cargo.toml", "go.mod", "compose.yaml"] {
            fs::write(place.path().join(sign), "").unwrap();
        }
        let text = project_file(place.path());
        assert!(text.lines().all(|line| line.is_empty() || line.starts_with('#')), "{text}");
        for part in [
            "# setup = [\"npm ci\", \"cargo fetch\", \"go mod download\"]",
            "# teardown = [\"docker compose down\"]",
            "# check = [\"npm test\", \"cargo test\", \"go test ./...\"]",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn without_its_signs_of_comments_it_is_a_right_project_file() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        let kinds = KINDS.iter().flat_map(|kinds| kinds.iter()).map(|kind| Some(kind.sign)).chain([None]);
        for sign in kinds {
            let project = root.join(sign.unwrap_or("none"));
            fs::create_dir_all(project.join(".agency")).unwrap();
            if let Some(sign) = sign {
                fs::write(project.join(sign), "").unwrap();
            }
            let text = project_file(&project);
            let (_, settings) = text.split_once("\n\n").unwrap();
            let used: String = settings.lines().map(|line| format!("{}\n", line.trim_start_matches("# "))).collect();
            fs::write(project.join(".agency/project.toml"), used).unwrap();
            let agency = crate::agency::Agency::builder().home(root.join("home"));
            let agency = agency.config(crate::config::Config::default()).build().unwrap();
            let found = agency.project(&project).unwrap().unwrap();
            assert!(found.needs_approval() && found.checks().is_err(), "{sign:?}");
        }
    }
}
