//! What the shells complete: names of those runs that a command can act on.

use super::{here, start, world};

/// What the program offers to a shell for these words, of which the last is completed.
fn offered(world: &agency_testkit::World, repo: &agency_testkit::Repo, shell: &str, words: &[&str]) -> String {
    let mut command = here(world, repo, &["--", "agency"]);
    command.args(words).env("COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    command.env("_CLAP_IFS", "\n").env("_CLAP_COMPLETE_COMP_TYPE", "9").env("_CLAP_COMPLETE_SPACE", "true");
    world.run(&mut command).stdout
}

#[test]
fn runs_are_completed_by_name_as_far_as_a_command_can_act_on_them() {
    let (world, repo) = world();
    start(&world, &repo, "quick", "Fix the login");
    world.run(&mut here(&world, &repo, &["wait", "login"]));
    let live = start(&world, &repo, "waiting", "Tidy the cart");
    agency_testkit::wait_for("the agent works", std::time::Duration::from_secs(30), || {
        (super::data(&world, &repo, &["show", &live])["status"] == "working").then_some(())
    });
    let fish = |words: &[&str]| offered(&world, &repo, "fish", words);
    assert!(fish(&["stop", ""]).contains("tidy-cart\tworking, waiting, project"), "{}", fish(&["stop", ""]));
    assert!(!fish(&["stop", ""]).contains("fix-login"), "{}", fish(&["stop", ""]));
    assert!(fish(&["rm", ""]).contains("fix-login\tcompleted, quick, project"), "{}", fish(&["rm", ""]));
    assert!(!fish(&["rm", ""]).contains("tidy-cart"));
    assert!(fish(&["show", ""]).contains("fix-login") && fish(&["show", ""]).contains("tidy-cart"));
    assert!(fish(&["run", "-a", ""]).contains("claude-code\t"), "{}", fish(&["run", "-a", ""]));
    assert!(fish(&["help", ""]).contains("configuration\t"));
    assert!(offered(&world, &repo, "zsh", &["rm", ""]).contains("fix-login"));
}

/// The words that bash would put in the place of the beginning of one, by the printed script.
fn completed_by_bash(world: &agency_testkit::World, repo: &agency_testkit::Repo, begun: &str) -> Vec<String> {
    let script = format!(
        "eval \"$(agency completions bash)\"; COMP_WORDS=(agency stop '{begun}'); COMP_CWORD=2; COMP_TYPE=9; \
        COMP_LINE='agency stop {begun}'; COMP_POINT=${{#COMP_LINE}}; _clap_complete_agency agency '{begun}' stop; \
        printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let mut command = world.program("bash");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_agency")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    command.args(["-c", &script]).env("PATH", format!("{}:{path}", binary.display())).current_dir(&repo.path);
    world.run(&mut command).stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_a_name_by_the_script() {
    let (world, repo) = world();
    start(&world, &repo, "waiting", "Tidy the cart");
    assert_eq!(completed_by_bash(&world, &repo, "tid"), ["tidy-cart"]);
}

/// Agents name the runs that they start, and bash inserts what is offered as it is.
#[test]
fn a_name_that_a_shell_would_obey_is_completed_by_the_id_of_the_run() {
    let (world, repo) = world();
    let names = ["$(touch ran)", "x; touch ran", "`touch ran`", "*", "-rf", "two words"];
    let mut ids: Vec<String> = names
        .iter()
        .map(|name| {
            let name = format!("--name={name}");
            let arguments = ["--json", "run", "-a", "waiting", &name, "-p", "wait"];
            let started = world.run(&mut here(&world, &repo, &arguments)).object();
            started["data"]["id"].as_str().unwrap_or_else(|| panic!("{started:#}")).to_owned()
        })
        .collect();
    let mut offered = completed_by_bash(&world, &repo, "");
    offered.retain(|word| !word.starts_with("--"));
    ids.sort();
    offered.sort();
    assert_eq!(offered, ids);
    assert_eq!(completed_by_bash(&world, &repo, "$("), [""]);
}
