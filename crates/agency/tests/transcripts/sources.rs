//! `source` and its commands.

use super::{Console, sees};

#[test]
fn add_and_rm() {
    let console = Console::new();
    sees!(console, ["source", "add", "project", "--dir", "."], @r#"
    $ agency source add project --dir .
    project  dir  {world}/repos/project
      ask about it:  agency ask -s project "…"
    "#);
    sees!(console, ["source", "add", "project", "--dir", "."], @r"
    $ agency source add project --dir .
    error [E_SOURCE_EXISTS]: a source named 'project' already exists
    hint: choose another name; agency source ls lists those that are taken
    [exit status: 4]
    ");
    sees!(console, ["source", "add", "other", "--dir", "nowhere"], @r"
    $ agency source add other --dir nowhere
    error [E_SOURCE_GONE]: the source 'other' is gone: {world}/repos/project/nowhere is not a directory
    hint: name one that is there
    [exit status: 5]
    ");
    sees!(console, ["source", "rm", "project"], @r"
    $ agency source rm project
    project is removed from the list; its files stay where they are
    ");
    sees!(console, ["source", "rm", "project"], @r"
    $ agency source rm project
    error [E_SOURCE_NOT_FOUND]: no source is named 'project'
    hint: agency source ls lists them
    [exit status: 3]
    ");
    sees!(console, ["source", "rm"], @r"
    $ agency source rm
    error: the following required arguments were not provided:
      <NAME>

    Usage: agency source rm <NAME>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn ls_and_show() {
    let console = Console::new();
    sees!(console, ["source", "ls"], @r"
    $ agency source ls
    No sources. Add one with agency source add.
    ");
    console.enter(&["source", "add", "project", "--dir", ".", "--description", "The project"]);
    sees!(console, ["source", "ls"], @r"
    $ agency source ls
    NAME  KIND  GROUPS  FROM  DESCRIPTION
    project  dir  {world}/repos/project  The project
    ");
    sees!(console, ["source", "show", "project"], @r"
    $ agency source show project
    source  project
    kind  dir
    path  {world}/repos/project
    description  The project
    ");
    sees!(console, ["source", "show", "projct"], @r"
    $ agency source show projct
    error [E_SOURCE_NOT_FOUND]: no source is named 'projct'; did you mean project?
    hint: agency source ls lists them
    [exit status: 3]
    ");
    sees!(console, ["source", "show"], @r"
    $ agency source show
    error: the following required arguments were not provided:
      <NAME>

    Usage: agency source show <NAME>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["source", "ls", "project"], @r"
    $ agency source ls project
    error: unexpected argument 'project' found

    Usage: agency source ls [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    console.world.set("max_agents", "many");
    sees!(console, ["source", "ls"], @r"
    $ agency source ls
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}

#[test]
fn sync() {
    let console = Console::new();
    console.enter(&["source", "add", "project", "--git", "."]);
    let gone = console.world.repo("gone");
    console.enter(&["source", "add", "gone", "--git", gone.path.to_str().unwrap()]);
    std::fs::remove_dir_all(&gone.path).unwrap();
    sees!(console, ["source", "sync", "project"], @r"
    $ agency source sync project
    project  [commit]
    ");
    sees!(console, ["source", "sync", "gone"], @r"
    $ agency source sync gone
    gone  failed: the source 'gone' could not be fetched: fatal: '{world}/repos/gone' does not appear to be a git repository
    fatal: Could not read from remote repository.
    Please make sure you have the correct access rights
    and the repository exists.
    error [E_SYNC_FAILED]: the source 'gone' could not be fetched: fatal: '{world}/repos/gone' does not appear to be a git repository
    fatal: Could not read from remote repository.
    Please make sure you have the correct access rights
    and the repository exists.
    hint: see git's message above; agency source sync tries again
    [exit status: 1]
    ");
    sees!(console, ["source", "sync", "projct"], @r"
    $ agency source sync projct
    error [E_SOURCE_NOT_FOUND]: no source is named 'projct'; did you mean project?
    hint: agency source ls lists them
    [exit status: 3]
    ");
}

#[test]
fn import() {
    let console = Console::new();
    console.repo.write(
        "lctx.json",
        r#"{"sources": [{"type": "git", "name": "api", "url": "https://example.com/api"}, {"type": "docs", "name": "site"}], "groups": {"core": ["api"]}}"#,
    );
    console.repo.write("wrong.json", "[]");
    sees!(console, ["source", "import", "lctx.json"], @r#"
    $ agency source import lctx.json
    source api
    group  core
    left:  the source "site" is of the type "docs", which agency does not have
    Fetch the repositories with agency source sync.
    "#);
    sees!(console, ["source", "import", "wrong.json"], @r"
    $ agency source import wrong.json
    error [E_INVALID_CONFIG]: wrong.json: it has no list `sources`
    hint: agency source import takes lctx's config.json; docs/ask.md has its shape
    [exit status: 2]
    ");
    sees!(console, ["source", "import", "nothing.json"], @r"
    $ agency source import nothing.json
    error [E_INVALID_CONFIG]: nothing.json: No such file or directory (os error 2)
    hint: agency source import takes lctx's config.json; docs/ask.md has its shape
    [exit status: 2]
    ");
}

#[test]
fn group() {
    let console = Console::new();
    console.enter(&["source", "add", "project", "--dir", "."]);
    sees!(console, ["source", "group", "ls"], @r"
    $ agency source group ls
    No groups. Make one with agency source group add NAME SOURCE….
    ");
    sees!(console, ["source", "group", "add", "core", "project"], @r"
    $ agency source group add core project
    core is project
    ");
    sees!(console, ["source", "group", "add", "other", "projct"], @r"
    $ agency source group add other projct
    error [E_SOURCE_NOT_FOUND]: no source is named 'projct'; did you mean project?
    hint: agency source ls lists them
    [exit status: 3]
    ");
    sees!(console, ["source", "group", "add", "core"], @r"
    $ agency source group add core
    error: the following required arguments were not provided:
      <SOURCES>...

    Usage: agency source group add <NAME> <SOURCES>...

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["source", "group", "ls"], @r"
    $ agency source group ls
    NAME  SOURCES
    core  project
    ");
    sees!(console, ["source", "group", "rm", "core"], @r"
    $ agency source group rm core
    core is no longer a group; it was project
    ");
    sees!(console, ["source", "group", "rm", "core"], @r"
    $ agency source group rm core
    error [E_SOURCE_NOT_FOUND]: no group is named 'core'
    hint: agency source group ls lists them
    [exit status: 3]
    ");
    sees!(console, ["source", "group", "rm"], @r"
    $ agency source group rm
    error: the following required arguments were not provided:
      <NAME>

    Usage: agency source group rm <NAME>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["source", "group", "ls", "core"], @r"
    $ agency source group ls core
    error: unexpected argument 'core' found

    Usage: agency source group ls [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    console.world.set("max_agents", "many");
    sees!(console, ["source", "group", "ls"], @r"
    $ agency source group ls
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}
