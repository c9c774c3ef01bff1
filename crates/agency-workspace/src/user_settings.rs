//! The user's settings as they hold in a run's worktree, where `includeIf` decides by git's directory for it.
//!
//! The one rule: git itself decides which conditions hold. Nothing in the working tree or in git's entry for it adds a
//! setting: of the entry, git reads only HEAD, and not `config.worktree`. What a setting starts does not lie in the working
//! tree either.

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::git_command::GitCommand;
use super::relative_programs::replacements;
use super::temporary::TemporaryDirectory;
use super::{Result, WorkspaceError, link};

/// What git needs to take a directory for the part of a repository that all worktrees share.
const SHARED_DIRECTORIES: [&str; 2] = ["objects", "refs"];
/// The extension that makes git read `config.worktree` counts only in the file itself, not in one that it includes.
const SHARED_CONFIG: &[u8] = b"[core]\n\trepositoryformatversion = 0\n";

/// How long an answer of git is used: settings that are changed apply after it.
const ANSWER_LIFETIME: Duration = Duration::from_secs(1);
/// The settings of repositories without a condition, by their common directories, and when git listed them.
static WITHOUT_CONDITIONS: Mutex<BTreeMap<PathBuf, (Instant, UserSettings)>> = Mutex::new(BTreeMap::new());
/// How git lists settings.
const LIST: [&str; 6] = ["config", "--list", "--includes", "--show-scope", "--show-origin", "-z"];

/// What git commands need that run through another directory than the worktree's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UserSettings {
    /// The system's and the user's configuration with all includes in place; `None` where no include has a condition.
    of_user: Option<Vec<u8>>,
    /// The values in the repository's own configuration of all keys that an include with a condition sets there.
    of_repository: Vec<(Vec<u8>, Vec<u8>)>,
    /// The values of all keys that would otherwise start a program of the working tree.
    programs: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Whether the configuration of a repository is the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RepositoryConfig {
    /// It is.
    Used,
    /// An agent can have written it, as that of a submodule.
    Ignored,
}

/// The working tree whose settings are meant.
#[derive(Clone, Copy)]
pub(super) struct SettingsOf<'a> {
    /// The git directory of the repository, as recorded.
    pub(super) common_dir: &'a Path,
    /// Git's directory for this working tree, which an agent can write.
    pub(super) admin_dir: Option<&'a Path>,
    pub(super) config: RepositoryConfig,
}

/// One line of git's list of settings.
struct Setting<'a> {
    scope: &'a [u8],
    origin: &'a [u8],
    key: &'a [u8],
    value: Option<&'a [u8]>,
}

impl UserSettings {
    /// Asks git for the settings that hold in a worktree.
    pub(super) fn of(tree: SettingsOf<'_>) -> Result<Self> {
        let SettingsOf { common_dir, admin_dir, config } = tree;
        if let Some(settings) = without_conditions(common_dir) {
            return Ok(settings);
        }
        let shared = TemporaryDirectory::new()?;
        share_config(shared.path(), common_dir, config)?;
        let listed = |git_dir: &Path| GitCommand::on_config(git_dir, shared.path(), common_dir).run(LIST).read();
        // An agent may have damaged git's entry; the repository's own directory lies above it.
        let has_head = |admin_dir: &&Path| link::read_small(&admin_dir.join("HEAD")).is_ok();
        let of_entry = admin_dir.filter(has_head).and_then(|admin_dir| listed(admin_dir).ok());
        let printed = match of_entry.filter(|printed| knows_repository(printed)) {
            Some(printed) => printed,
            None => listed(common_dir)?,
        };
        let settings = Self { programs: programs_of(&printed, common_dir), ..parse(&printed) };
        if config == RepositoryConfig::Used {
            note_without_conditions(common_dir, &printed, &settings);
        }
        Ok(settings)
    }

    /// The settings for a new working tree of a repository, in which git itself finds those with a condition.
    pub(super) fn of_new_tree(common_dir: &Path) -> Result<Self> {
        if let Some(settings) = without_conditions(common_dir) {
            return Ok(settings);
        }
        let printed = GitCommand::on(common_dir).run(LIST).read()?;
        // Not kept: a look that follows at once is to see what the user changed since.
        Ok(Self { programs: programs_of(&printed, common_dir), ..Self::default() })
    }

    /// Writes what git reads from a file; where there is nothing to read, no file is made.
    pub(super) fn write(&self, file: &Path) -> Result<()> {
        match &self.of_user {
            Some(content) => fs::write(file, content).map_err(WorkspaceError::io("write", file)),
            None => Ok(()),
        }
    }

    /// Lets a git command use the settings, with the file that [`Self::write`] made.
    pub(super) fn apply(&self, git: GitCommand, file: &Path) -> GitCommand {
        let git = match &self.of_user {
            Some(_) => git.env("GIT_CONFIG_GLOBAL", file).env("GIT_CONFIG_NOSYSTEM", "1"),
            None => git,
        };
        self.set(git)
    }

    /// Sets the single values for a git command.
    #[expect(clippy::disallowed_methods, reason = "git's own settings of the user are extended, not replaced")]
    pub(super) fn set(&self, git: GitCommand) -> GitCommand {
        let count = self.of_repository.len() + self.programs.len();
        if count == 0 {
            return git;
        }
        // The user's environment may hold settings in the same form.
        let first = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(0_usize);
        let set = |git: GitCommand, (number, (key, value)): (usize, &(Vec<u8>, Vec<u8>))| {
            let text = |bytes: &Vec<u8>| OsString::from_vec(bytes.clone());
            git.env(&format!("GIT_CONFIG_KEY_{number}"), text(key))
                .env(&format!("GIT_CONFIG_VALUE_{number}"), text(value))
        };
        let git = git.env("GIT_CONFIG_COUNT", (first + count).to_string());
        (first..).zip(self.of_repository.iter().chain(&self.programs)).fold(git, set)
    }
}

/// The settings, if git was asked a moment ago and no include of the repository's or the user's settings had a condition.
/// Then they are the same in all worktrees, which matters to a command that looks at thousands of them.
fn without_conditions(common_dir: &Path) -> Option<UserSettings> {
    let known = WITHOUT_CONDITIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let (asked, settings) = known.get(common_dir)?;
    (asked.elapsed() < ANSWER_LIFETIME).then(|| settings.clone())
}

fn note_without_conditions(common_dir: &Path, printed: &[u8], settings: &UserSettings) {
    if settings_in(printed).iter().any(|setting| has_condition(setting.key)) {
        return;
    }
    let mut known = WITHOUT_CONDITIONS.lock().unwrap_or_else(PoisonError::into_inner);
    known.insert(common_dir.to_owned(), (Instant::now(), settings.clone()));
}

fn programs_of(printed: &[u8], common_dir: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut settings = settings_in(printed);
    // Those of the user's own checkout alone.
    settings.retain(|setting| setting.scope != b"worktree");
    let tree = settings.iter().rev().find(|setting| setting.key == b"core.worktree").and_then(|setting| setting.value);
    let top = link::own_tree(common_dir, tree.map(|tree| Path::new(OsStr::from_bytes(tree))));
    replacements(settings.iter().map(|setting| (setting.key, setting.value)), top.as_deref())
}

/// Whether git took its directory for one; if not, it lists the user's settings as they hold outside of repositories.
fn knows_repository(printed: &[u8]) -> bool {
    settings_in(printed).iter().any(|setting| setting.scope == b"local")
}

/// Makes a directory that git takes for what all worktrees share, with nothing but the repository's configuration.
fn share_config(shared: &Path, common_dir: &Path, whose: RepositoryConfig) -> Result<()> {
    for name in SHARED_DIRECTORIES {
        let directory = shared.join(name);
        fs::create_dir(&directory).map_err(WorkspaceError::io("create", &directory))?;
    }
    let mut config = SHARED_CONFIG.to_vec();
    if whose == RepositoryConfig::Used {
        config.extend_from_slice(b"[include]\n\tpath = ");
        config.extend_from_slice(&quoted(real_config(common_dir).as_os_str().as_bytes()));
        config.push(b'\n');
    }
    let file = shared.join("config");
    fs::write(&file, config).map_err(WorkspaceError::io("write", &file))
}

/// An absolute path, since git takes a relative one as below the including file.
fn real_config(common_dir: &Path) -> PathBuf {
    fs::canonicalize(common_dir).unwrap_or_else(|_| common_dir.to_owned()).join("config")
}

/// Reads scope, origin, and key with value, each with a NUL after it.
fn settings_in(printed: &[u8]) -> Vec<Setting<'_>> {
    let mut fields = printed.split(|byte| *byte == 0);
    let mut all = vec![];
    while let (Some(scope), Some(origin), Some(setting)) = (fields.next(), fields.next(), fields.next()) {
        let (key, value) = match setting.iter().position(|byte| *byte == b'\n') {
            Some(end) => (&setting[..end], setting.get(end + 1..)),
            None => (setting, None),
        };
        all.push(Setting { scope, origin, key, value });
    }
    all
}

fn parse(printed: &[u8]) -> UserSettings {
    let all = settings_in(printed);
    let is_users = |setting: &&Setting<'_>| matches!(setting.scope, b"system" | b"global");
    let users: Vec<&Setting<'_>> = all.iter().filter(is_users).collect();
    let repositorys: Vec<&Setting<'_>> = all.iter().filter(|setting| setting.scope == b"local").collect();
    UserSettings { of_user: flattened(&users), of_repository: conditional(&repositorys), programs: vec![] }
}

/// Settings as one file without includes; `None` where no include has a condition.
fn flattened(settings: &[&Setting<'_>]) -> Option<Vec<u8>> {
    settings.iter().any(|setting| has_condition(setting.key)).then_some(())?;
    let mut content = vec![];
    for setting in settings.iter().filter(|setting| !is_include(setting.key)) {
        content.extend_from_slice(&written(setting));
    }
    Some(content)
}

/// All values, in their order, of those keys that an include with a condition sets.
fn conditional(settings: &[&Setting<'_>]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut keys = HashSet::new();
    let mut included_by = None;
    for setting in settings {
        // Git lists what a file includes behind the line that includes it.
        if included_by == Some(setting.origin) {
            included_by = None;
        }
        match included_by {
            Some(_) => drop(keys.insert(setting.key)),
            None if has_condition(setting.key) => included_by = Some(setting.origin),
            None => {}
        }
    }
    let chosen = settings.iter().filter(|setting| keys.contains(setting.key) && !is_include(setting.key));
    // A key without a value is true.
    chosen.map(|setting| (setting.key.to_vec(), setting.value.unwrap_or(b"true").to_vec())).collect()
}

fn has_condition(key: &[u8]) -> bool {
    key.starts_with(b"includeif.")
}

fn is_include(key: &[u8]) -> bool {
    has_condition(key) || key == b"include.path"
}

/// A setting as git's configuration files have it.
fn written(setting: &Setting<'_>) -> Vec<u8> {
    let dot = |byte: &u8| *byte == b'.';
    let (Some(first), Some(last)) = (setting.key.iter().position(dot), setting.key.iter().rposition(dot)) else {
        return vec![];
    };
    let mut line = vec![b'['];
    line.extend_from_slice(&setting.key[..first]);
    if first < last {
        line.push(b' ');
        line.extend_from_slice(&quoted(&setting.key[first + 1..last]));
    }
    line.extend_from_slice(b"]\n\t");
    line.extend_from_slice(&setting.key[last + 1..]);
    if let Some(value) = setting.value {
        line.extend_from_slice(b" = ");
        line.extend_from_slice(&quoted(value));
    }
    line.push(b'\n');
    line
}

fn quoted(text: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for byte in text {
        match byte {
            b'"' | b'\\' => quoted.extend_from_slice(&[b'\\', *byte]),
            b'\n' => quoted.extend_from_slice(b"\\n"),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_condition_nothing_is_set() {
        assert_eq!(
            parse(b"global\0file:/a\0user.name\nx\0global\0file:/a\0include.path\nb\0"),
            UserSettings::default()
        );
    }

    #[test]
    fn includes_of_the_user_are_written_out_in_their_order() {
        let printed = b"system\0file:/s\0a.b\nold\0global\0file:/g\0includeif.gitdir:/x/.path\nz\0\
            global\0file:/z\0x.Sub.A \"q\".y\na\n\\b\0global\0file:/g\0a.b\nnew\0global\0file:/g\0c.d\0\
            command\0command line:\0e.f\nx\0";
        let content = parse(printed).of_user.unwrap();
        let expected =
            "[a]\n\tb = \"old\"\n[x \"Sub.A \\\"q\\\"\"]\n\ty = \"a\\n\\\\b\"\n[a]\n\tb = \"new\"\n[c]\n\td\n";
        assert_eq!(String::from_utf8(content).unwrap(), expected);
    }

    #[test]
    fn of_the_repository_only_keys_with_a_conditional_value_are_set() {
        let printed =
            b"local\0file:/r\0a.b\nfirst\0local\0file:/r\0c.d\nx\0local\0file:/r\0includeif.gitdir:/x/.path\nz\0\
            local\0file:/z\0a.b\nsecond\0local\0file:/r\0a.b\nlast\0local\0file:/r\0e.f\nx\0";
        let found = parse(printed);
        let values: Vec<&[u8]> = found.of_repository.iter().map(|(_, value)| value.as_slice()).collect();
        assert_eq!(values, [&b"first"[..], b"second", b"last"]);
        assert_eq!(found.of_user, None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            parse(&bytes);
        }
    }
}
