//! `agency serve` cleans up only if the user's own configuration says so.

use std::time::Duration;

use agency_testkit::{agent, wait_for};
use rustix::process::Signal;

use super::{AT_ONCE, COMMIT, finished, is_removed, started, worktree, world};

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn serve_cleans_up_where_the_user_enabled_it() {
    let (world, repo) = world(&format!("{AT_ONCE}auto = true\n"));
    let (idle, work) = (finished(&world, &repo, "true"), finished(&world, &repo, COMMIT));
    let server = world.spawn(&["serve", "--json"]);
    wait_for("the removal", LIMIT, || world.show(&idle)["removed_at"].is_string().then_some(()));
    server.signal(Signal::TERM);
    let output = server.wait();
    assert_eq!(output.object()["data"]["removed"], 1, "{output}");
    is_removed(&world, &idle);
    assert!(worktree(&world, &work).exists());
}

#[test]
fn serve_removes_nothing_without_it_and_a_project_cannot_enable_it() {
    let (world, repo) = world(AT_ONCE);
    repo.write(".agency/config.toml", "[gc]\nauto = true\n");
    let idle = finished(&world, &repo, "true");
    let lost = started(&world, &repo, agent::waiting());
    lost.wait_for_output("ready");
    // A run of a repository with a wrong project file is refused, so it is written afterwards.
    repo.write(".agency/project.toml", "[gc]\nauto = true\n");
    let mut command = world.command(&["serve", "--json"]);
    let server = world.start(command.current_dir(&repo.path));
    // It has looked at all runs by then.
    lost.kill_supervisor();
    wait_for("the end of the lost run", LIMIT, || {
        let events = lost.events();
        events.last().is_some_and(|event| event["type"] == "completed").then_some(())
    });
    server.signal(Signal::TERM);
    let output = server.wait();
    assert_eq!(output.object()["data"]["removed"], 0, "{output}");
    assert!(worktree(&world, &idle).exists() && world.show(&idle)["removed_at"].is_null());
    world.kill_everything();
}
