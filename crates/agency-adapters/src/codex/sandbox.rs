//! How Codex is started apart from its form: a process of its own, and a sandbox in which it can commit.

use std::path::PathBuf;

use crate::SandboxSettings;

/// Without it Codex shares one background process between all its screens, which carries the first run's environment.
pub(super) const OWN_PROCESS: &str = "--no-daemon";

/// Codex' settings of its sandbox, and the one of what it may write to.
const TABLE: &str = "sandbox_workspace_write";
const ROOTS: &str = "sandbox_workspace_write.writable_roots";

/// Takes away the flag where the user's arguments have it already, or name a server, with which it does not go together.
pub(super) fn without_doubled_flags(args: &mut Vec<String>, own: &[&String]) {
    let excludes = |arg: &str| arg == OWN_PROCESS || arg == "--remote" || arg.starts_with("--remote=");
    if own.iter().any(|arg| excludes(arg)) {
        args.retain(|arg| arg != OWN_PROCESS);
    }
}

/// The setting that lets sandboxed commands write to these directories, besides the worktree; none where the user's
/// arguments say what may be written, or could, by a profile.
pub(super) fn writable_roots(roots: &[PathBuf], own: &[&String]) -> Option<[String; 2]> {
    let own_roots = |arg: &str| {
        let setting = arg.strip_prefix("--config=").or_else(|| arg.strip_prefix("-c")).unwrap_or(arg);
        let key = setting.split_once('=').map(|(key, _)| key.trim());
        key.is_some_and(|key| [TABLE, ROOTS].contains(&key))
    };
    let profile = |arg: &str| matches!(arg, "-p" | "--profile") || arg.starts_with("--profile=");
    if roots.is_empty() || own.iter().any(|arg| own_roots(arg) || profile(arg)) {
        return None;
    }
    let roots: Option<Vec<toml::Value>> = roots.iter().map(|root| Some(toml::Value::from(root.to_str()?))).collect();
    let roots = toml::Value::Array(roots?);
    Some(["-c".to_owned(), format!("{ROOTS}={roots}")])
}

/// The roots of the user's own settings, which an argument would replace.
pub(super) const SETTINGS: SandboxSettings = SandboxSettings {
    file: |environment| Some(super::home(environment)?.join("config.toml")),
    roots: configured_roots,
};

fn configured_roots(settings: &str) -> Vec<PathBuf> {
    let settings: toml::Table = settings.parse().unwrap_or_default();
    let roots = settings.get(TABLE).and_then(|table| table.get("writable_roots"));
    let roots = roots.and_then(toml::Value::as_array).into_iter().flatten();
    roots.filter_map(|root| root.as_str().map(PathBuf::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_and_the_users_own_roots_win() {
        let roots = [PathBuf::from("/a \"b\""), PathBuf::from("/it's")];
        let none: &[&String] = &[];
        let [flag, setting] = writable_roots(&roots, none).unwrap();
        assert_eq!(flag, "-c");
        let (key, value) = setting.split_once('=').unwrap();
        assert_eq!(key, "sandbox_workspace_write.writable_roots");
        let read: toml::Table = format!("roots = {value}").parse().unwrap();
        let read: Vec<&str> = read["roots"].as_array().unwrap().iter().map(|root| root.as_str().unwrap()).collect();
        assert_eq!(read, ["/a \"b\"", "/it's"]);
        let own = [r#"sandbox_workspace_write.writable_roots=["/x"]"#, "--config=sandbox_workspace_write={}", "-p"];
        for own in own.into_iter().chain(["--profile", "--profile=x"]) {
            assert_eq!(writable_roots(&roots, &[&own.to_owned()]), None, "{own}");
        }
        let beside = "sandbox_workspace_write.network_access=true".to_owned();
        assert!(writable_roots(&roots, &[&beside]).is_some());
        assert_eq!(writable_roots(&[], none), None);
    }

    #[test]
    fn a_flag_that_the_user_gives_is_not_given_twice() {
        let args = |own: &str| {
            let mut args = vec!["resume".to_owned(), OWN_PROCESS.to_owned()];
            without_doubled_flags(&mut args, &[&own.to_owned()]);
            args.len()
        };
        assert_eq!([args("--no-daemon"), args("--remote"), args("--remote=x"), args("--model")], [1, 1, 1, 2]);
    }
}
