//! Which run a text stands for, in commands.

use super::{data, here, start, world};

#[test]
fn a_part_last_and_numbers_name_a_run_in_every_command() {
    let (world, repo) = world();
    let done = start(&world, &repo, "quick", "Fix the login");
    world.run(&mut here(&world, &repo, &["wait", "login"]));
    let live = start(&world, &repo, "waiting", "Tidy the cart");
    for (text, id) in [("login", &done), ("-2", &done), ("last", &live), ("-1", &live), ("CART", &live)] {
        assert_eq!(data(&world, &repo, &["show", text])["id"], id.as_str(), "{text}");
    }
    let end = &live[live.len() - 6..];
    assert_eq!(data(&world, &repo, &["why", end])["id"], live.as_str());
    assert_eq!(data(&world, &repo, &["stop", "cart"])["id"], live.as_str());
    assert_eq!(data(&world, &repo, &["rm", "-2"])["id"], done.as_str());
}

#[test]
fn an_ambiguous_part_changes_nothing_lists_the_candidates_and_exits_with_3() {
    let (world, repo) = world();
    let runs = ["Tidy the cart", "Tidy the account"].map(|prompt| start(&world, &repo, "waiting", prompt));
    let refused = world.run(&mut here(&world, &repo, &["stop", "tidy"]));
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    assert!(refused.stderr.contains("tidy-cart") && refused.stderr.contains("tidy-account"), "{}", refused.stderr);
    for run in &runs {
        assert_eq!(data(&world, &repo, &["show", run])["state"], "running");
    }
    let unknown = world.run(&mut here(&world, &repo, &["stop", "tidy-crat"]));
    assert!(unknown.stderr.contains("did you mean tidy-cart?"), "{}", unknown.stderr);
    assert_eq!(data(&world, &repo, &["stop", "tidy-cart"])["id"], runs[0].as_str());
    assert_eq!(data(&world, &repo, &["stop", "tidy"])["id"], runs[1].as_str(), "the only one that can be stopped");
}

#[test]
fn all_runs_or_those_of_a_repository_are_stopped_and_removed_together() {
    let (world, repo) = world();
    let other = world.repo("other");
    let here_first = start(&world, &repo, "waiting", "One");
    let there = start(&world, &other, "waiting", "Two");
    let stopped = data(&world, &repo, &["stop", "--repo", "."]);
    assert_eq!(stopped["runs"].as_array().unwrap().len(), 1);
    assert_eq!(stopped["runs"][0]["id"], here_first.as_str());
    let rest = data(&world, &repo, &["stop", "--all"]);
    assert_eq!(rest["runs"][0]["id"], there.as_str());
    assert!(data(&world, &repo, &["stop", "--all"])["runs"].as_array().unwrap().is_empty());
    let removed = data(&world, &repo, &["rm", "--repo", "."]);
    assert_eq!(removed["runs"].as_array().unwrap().len(), 1);
    assert_eq!(removed["runs"][0]["id"], here_first.as_str());
    assert!(data(&world, &repo, &["show", &there])["removed_at"].is_null());
}

/// A message calls a run by the name that a user would type; where the name does not mean it, by its id.
#[test]
fn messages_call_runs_by_their_names() {
    let (world, repo) = world();
    let first = start(&world, &repo, "quick", "Fix the login");
    world.run(&mut here(&world, &repo, &["wait", &first]));
    let refusal = world.run(&mut here(&world, &repo, &["stop", &first])).stderr;
    assert!(refusal.contains("]: fix-login is completed;"), "{refusal}");
    assert!(refusal.contains("agency show fix-login shows its state") && !refusal.contains(&first), "{refusal}");
    let data = world.run(&mut here(&world, &repo, &["stop", "--json", &first])).stdout;
    assert!(data.contains(&first) && !data.contains("fix-login"), "programs get ids: {data}");
    // The same name again: it means the newer run, if that is the only live one.
    world.run(&mut here(&world, &repo, &["run", "-a", "waiting", "--name", "fix-login", "Fix it"]));
    let refusal = world.run(&mut here(&world, &repo, &["stop", &first])).stderr;
    assert!(refusal.contains(&format!("]: {first} is completed;")), "{refusal}");
    let removed = world.run(&mut here(&world, &repo, &["rm", &first])).stdout;
    assert!(removed.starts_with(&format!("{first}  removed")), "{removed}");
    let near = world.run(&mut here(&world, &repo, &["show", "fx-login"])).stderr;
    assert!(near.contains("did you mean fix-login?"), "{near}");
    start(&world, &repo, "waiting", "Improve the docs of the parser");
    let near = world.run(&mut here(&world, &repo, &["show", "improve-dosc"])).stderr;
    assert!(near.contains("did you mean improve-docs-of-parser?"), "{near}");
}

#[test]
fn a_misspelt_command_or_flag_gets_the_nearest_one() {
    let (world, repo) = world();
    let said = |arguments: &[&str]| {
        let output = world.run(&mut here(&world, &repo, arguments));
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        output.stderr
    };
    for (typed, meant) in [("rnu", "run"), ("lst", "ls"), ("list", "ls"), ("kill", "stop"), ("statsu", "status")] {
        let said = said(&[typed]);
        assert!(said.contains(&format!("a similar subcommand exists: '{meant}'")), "{typed}: {said}");
    }
    assert!(said(&["workflow", "shwo"]).contains("'show'"), "{}", said(&["workflow", "shwo"]));
    assert!(said(&["run", "--promt", "x"]).contains("'--prompt'"), "{}", said(&["run", "--promt", "x"]));
}
