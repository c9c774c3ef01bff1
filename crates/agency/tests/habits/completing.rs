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

#[test]
fn bash_completes_a_name_by_the_script() {
    let (world, repo) = world();
    start(&world, &repo, "waiting", "Tidy the cart");
    let script = "eval \"$(agency completions bash)\"; COMP_WORDS=(agency stop tid); COMP_CWORD=2; \
        COMP_LINE='agency stop tid'; COMP_POINT=15; COMP_TYPE=9; _clap_complete_agency agency tid stop; echo \"${COMPREPLY[@]}\"";
    let mut command = world.program("bash");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_agency")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    command.args(["-c", script]).env("PATH", format!("{}:{path}", binary.display())).current_dir(&repo.path);
    let output = world.run(&mut command);
    assert_eq!(output.stdout.trim(), "tidy-cart", "{output:?}");
}
