//! What `ls`, `status` and `cost` show, and the options of all commands.

use agency_testkit::conversation;

use super::{data, here, start, world};

#[test]
fn what_needs_a_user_comes_first_and_a_terminal_has_a_line_that_counts() {
    let (world, repo) = world();
    world.agent("asking", conversation::asking(1));
    let asking = data(&world, &repo, &["run", "-a", "asking", "--mode", "headless", "Ask me"]);
    let asking = asking["id"].as_str().unwrap();
    start(&world, &repo, "waiting", "Wait here");
    let failing = start(&world, &repo, "failing", "Break it");
    world.run(&mut here(&world, &repo, &["wait", &failing]));
    agency_testkit::wait_for("the question", std::time::Duration::from_secs(30), || {
        (data(&world, &repo, &["show", asking])["status"] == "waiting").then_some(())
    });
    let table = world.run(&mut here(&world, &repo, &["ls"])).stdout;
    let names: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["ask-me", "break-it", "wait-here"], "{table}");
    assert!(table.contains("waiting") && table.contains("failed"), "{table}");
    let names_in = |states: &[&str]| -> Vec<String> {
        let options: Vec<&str> = states.iter().flat_map(|state| ["--state", *state]).collect();
        let listed = data(&world, &repo, &[&["ls"], options.as_slice()].concat());
        let table =
            world.run(&mut here(&world, &repo, &[&["ls", "--columns", "name"], options.as_slice()].concat())).stdout;
        let names: Vec<String> = table.lines().skip(1).map(|line| line.trim().to_owned()).collect();
        assert_eq!(listed["runs"].as_array().unwrap().len(), names.len(), "{table}");
        names
    };
    assert_eq!(names_in(&["waiting"]), ["ask-me"]);
    assert_eq!(names_in(&["running"]), ["ask-me", "wait-here"]);
    assert_eq!(names_in(&["waiting", "failed"]), ["ask-me", "break-it"]);
    assert!(names_in(&["paused"]).is_empty());
    let status = |format: &str| world.run(&mut here(&world, &repo, &["status", "--format", format])).stdout;
    assert_eq!(status("prompt"), "1? 1● 1✗\n");
    assert_eq!(status("tmux"), "#[fg=yellow]1?#[default] #[fg=cyan]1●#[default] #[fg=red]1✗#[default]\n");
    assert!(status("json").contains("\"waiting\":1"), "{}", status("json"));
    let terminal = world.terminal_with(&here(&world, &repo, &["ls"]));
    let screen = terminal.wait_for_text("wait-here");
    assert!(screen.contains("1 waiting · 1 running · 1 failed"), "{screen}");
    terminal.wait_for_exit();
    assert_eq!(status("prompt"), "1? 1●\n", "the failure was seen");
    let newest = data(&world, &repo, &["ls"]);
    assert_eq!(newest["runs"][0]["id"], failing.as_str(), "JSON comes newest first");
}

#[test]
fn the_table_says_how_many_runs_it_leaves_out_and_why_there_are_none() {
    let (world, repo) = world();
    let list = |arguments: &[&str]| world.run(&mut here(&world, &repo, &[&["ls"], arguments].concat())).stdout;
    assert_eq!(list(&[]), "No runs. Start one with agency run, or see agency demo.\n");
    for prompt in ["Charlie", "Alpha", "Bravo"] {
        start(&world, &repo, "quick", prompt);
        world.run(&mut here(&world, &repo, &["wait", "last"]));
    }
    assert!(list(&["--limit", "2"]).ends_with("showing 2 of 3; --all or --limit N shows more\n"));
    assert_eq!(list(&["--state", "failed"]), "No runs match --state failed; without it there are 3 runs.\n");
    let sorted = list(&["--sort", "name", "--columns", "name,branch"]);
    let names: Vec<&str> = sorted.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["NAME", "alpha", "bravo", "charlie"]);
    assert_eq!(list(&["-q"]).lines().count(), 3);
    assert!(list(&["-q"]).lines().all(|line| line.starts_with("r_")));
    world.run(&mut here(&world, &repo, &["rm", "--all-finished"]));
    assert_eq!(list(&[]), "No runs: all 3 were removed; agency ls --all lists them.\n");
}

#[test]
fn the_live_table_follows_the_runs() {
    let (world, repo) = world();
    let terminal = world.terminal_with(&here(&world, &repo, &["ls", "-w"]));
    terminal.wait_for_text("Nothing is running.");
    start(&world, &repo, "waiting", "Appear soon");
    terminal.wait_for_text("appear-soon");
    terminal.send_keys(&["C-c"]);
    terminal.wait_for_exit();
    let piped = world.run(&mut here(&world, &repo, &["ls", "-w"]));
    assert!(piped.stderr.contains("--watch needs a terminal"), "{}", piped.stderr);
    let mut dumb = world.program("env");
    dumb.args(["TERM=dumb", env!("CARGO_BIN_EXE_agency"), "ls", "-w"]);
    let dumb = world.terminal_with(&dumb);
    dumb.wait_for_text("--watch needs a terminal that can move its cursor");
    assert_eq!(dumb.wait_for_exit(), 2);
}

#[test]
fn quiet_prints_the_answer_alone_and_colours_are_as_wanted() {
    let (world, repo) = world();
    let output = world.run(&mut here(&world, &repo, &["run", "-q", "Do it"]));
    assert!(output.stdout.starts_with("r_") && output.stdout.lines().count() == 1, "{output:?}");
    assert_eq!(output.stderr, "");
    let list = |when: &str| world.run(&mut here(&world, &repo, &["ls", "--color", when])).stdout;
    assert!(list("always").contains("\x1b["), "{}", list("always"));
    assert!(!list("never").contains('\x1b') && !list("auto").contains('\x1b'));
}

#[test]
fn usage_is_summed_by_agent_day_and_repository() {
    let (world, repo) = world();
    start(&world, &repo, "quick", "One");
    start(&world, &repo, "quick", "Two");
    for id in ["-1", "-2"] {
        world.run(&mut here(&world, &repo, &["wait", id]));
    }
    let database = rusqlite::Connection::open(world.agency_home().join("agency.db")).unwrap();
    database.execute_batch("UPDATE runs SET input_tokens = 1000, output_tokens = 10, cost_usd = 0.25").unwrap();
    let cost = data(&world, &repo, &["cost"]);
    assert_eq!(cost["groups"][0]["key"], "quick");
    assert_eq!((&cost["total"]["runs"], &cost["total"]["usage"]["cost_usd"]), (&2.into(), &0.5.into()));
    assert_eq!(data(&world, &repo, &["cost", "--by", "repo"])["groups"][0]["key"], repo.path.to_str().unwrap());
    assert_eq!(data(&world, &repo, &["cost", "--by", "day", "--since", "1d"])["groups"].as_array().unwrap().len(), 1);
    let table = world.run(&mut here(&world, &repo, &["cost"])).stdout;
    assert!(table.contains("2.0k") && table.contains("$0.5000") && table.contains('█'), "{table}");
}

#[test]
fn manual_pages_and_pages_of_the_documentation_are_printed() {
    let (world, repo) = world();
    let output = |arguments: &[&str]| world.run(&mut here(&world, &repo, arguments));
    assert!(output(&["man", "run"]).stdout.contains(".TH agency-run"));
    let pages = world.root().join("man");
    let written = data(&world, &repo, &["man", "--dir", pages.to_str().unwrap()]);
    assert!(written["files"].as_array().unwrap().len() > 30);
    assert!(pages.join("agency-workflow-run.1").exists());
    assert!(output(&["help", "topics"]).stdout.contains("configuration"));
    assert!(output(&["help", "configuration"]).stdout.starts_with("# Configuration"));
    assert!(output(&["help", "run"]).stdout.contains("--include-changes"));
    assert!(output(&["help", "ask.md"]).stdout.starts_with("# "));
    assert!(output(&["help", "confguration"]).stderr.contains("did you mean configuration?"));
}
