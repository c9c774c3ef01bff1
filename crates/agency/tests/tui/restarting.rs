//! A restart that cannot succeed leaves the run alone.

use super::fixture::{screen, waiting, world};

#[test]
fn a_run_whose_agent_is_gone_is_not_stopped_for_a_restart() {
    let (world, repo) = world();
    let run = waiting(&world, &repo, "attic");
    std::fs::remove_file(world.root().join("agents/waiting")).unwrap();
    let terminal = screen(&world, "attic");
    terminal.send_keys(&["r"]);
    terminal.wait_for_text("Restart");
    terminal.send_keys(&["y"]);
    terminal.wait_for_text("does not exist");
    assert_eq!(world.show(&run)["state"], "running");
}
