use std::fs;
use std::os::unix::fs::PermissionsExt;

use agency_model::McpPreset;
use tempfile::TempDir;

use super::*;

/// A directory with programs, and an environment that finds them.
struct Machine {
    directory: TempDir,
    environment: BTreeMap<OsString, OsString>,
}

impl Machine {
    fn with(programs: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let bin = directory.path().join("bin");
        fs::create_dir(&bin).unwrap();
        for program in programs {
            fs::write(bin.join(program), "").unwrap();
            fs::set_permissions(bin.join(program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let environment = [("PATH", bin), ("HOME", directory.path().join("home"))];
        let environment = environment.map(|(name, value)| (name.into(), value.into())).into();
        Self { directory, environment }
    }

    fn missing(&self, transport: &McpTransport) -> Vec<String> {
        let repository = self.directory.path().join("project/deep");
        let place = SearchPath { current_directory: &repository, environment: &self.environment };
        missing_of(transport, &repository, &place)
    }

    fn install(&self, modules: &str, package: &str) {
        let package = self.directory.path().join(modules).join(package);
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("package.json"), "{}").unwrap();
    }
}

fn preset(preset: McpPreset) -> McpTransport {
    preset.server().transport("x").unwrap()
}

// proves W11
#[test]
fn a_program_that_is_not_there_is_said() {
    let missing = Machine::with(&[]).missing(&preset(McpPreset::Filesystem));
    assert_eq!(missing, ["its command 'npx' is not on the PATH"]);
}

// proves W11
#[test]
fn a_package_is_found_where_npm_keeps_it() {
    let package = "@modelcontextprotocol/server-filesystem";
    for modules in ["project/node_modules", "lib/node_modules", "home/.npm/_npx/0123/node_modules"] {
        let machine = Machine::with(&["npx"]);
        let missing = machine.missing(&preset(McpPreset::Filesystem));
        assert!(missing[0].contains(&format!("npm install -g {package}")), "{missing:?}");
        machine.install(modules, package);
        assert_eq!(machine.missing(&preset(McpPreset::Filesystem)), [""; 0], "{modules}");
    }
}

// proves W11
#[test]
fn a_variable_that_is_not_set_is_said_and_left_out() {
    let mut machine = Machine::with(&["npx"]);
    machine.install("lib/node_modules", "@modelcontextprotocol/server-github");
    let github = preset(McpPreset::Github);
    assert_eq!(machine.missing(&github), ["the variable GITHUB_PERSONAL_ACCESS_TOKEN is not set"]);
    machine.environment.insert("GITHUB_PERSONAL_ACCESS_TOKEN".into(), "t".into());
    assert_eq!(machine.missing(&github), [""; 0]);
    let place = SearchPath { current_directory: Path::new("/"), environment: &machine.environment };
    let McpTransport::Program { command, env, .. } = ready(github, Path::new("/w"), &place) else { panic!() };
    assert_eq!(env["GITHUB_PERSONAL_ACCESS_TOKEN"], "t");
    assert!(command.ends_with("bin/npx") && Path::new(&command).is_absolute(), "{command}");
}

#[test]
fn names_of_packages_lose_their_versions() {
    for (args, package) in [
        (vec!["-y", "@scope/name@1.2"], Some("@scope/name")),
        (vec!["--yes", "name"], Some("name")),
        (vec!["-p", "@scope/name@latest", "program"], Some("@scope/name")),
        (vec!["--package=name@2", "program"], Some("name")),
        (vec!["-y", "--", "name"], Some("name")),
        (vec!["-c", "anything"], None),
        (vec!["-y"], None),
        (vec![], None),
    ] {
        let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
        assert_eq!(package_of(&args), package, "{args:?}");
    }
}

#[test]
fn values_are_filled_in_and_what_is_no_name_stays() {
    let environment = BTreeMap::from([("A".into(), "1".into()), ("B".into(), "2".into())]);
    assert_eq!(fill("x${A}y${B}${A}", &environment).unwrap(), "x1y21");
    assert_eq!(fill("$A ${A", &environment).unwrap(), "$A ${A");
    assert_eq!(fill("${C}", &environment).unwrap_err().to_string(), "the variable C is not set");
}

// proves W11
#[test]
fn a_file_of_servers_is_read_as_others_write_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(".mcp.json");
    let read = |text: &str| {
        fs::write(&path, text).unwrap();
        read_mcp_config(&path)
    };
    let servers =
        read(r#"{"mcpServers": {"a": {"type": "stdio", "command": "x"}, "b": {"type": "http", "url": "u"}}}"#);
    let servers = servers.unwrap();
    assert_eq!(servers["a"].command.as_deref(), Some("x"));
    assert_eq!(servers["b"].url.as_deref(), Some("u"));
    for (text, words) in [
        ("{}", "mcpServers"),
        ("{", "EOF"),
        (r#"{"mcpServers": {"a": {"comand": "x"}}}"#, "comand"),
        (r#"{"mcpServers": []}"#, "expected an object"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains(".mcp.json"), "{error}");
    }
    fs::remove_file(&path).unwrap();
    assert!(read_mcp_config(&path).is_err());
}
