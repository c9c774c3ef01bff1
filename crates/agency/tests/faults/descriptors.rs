//! The agent inherits its three streams and nothing else.

use super::fixture::{HOSTS, MODES, clear_away, how, world};

#[test]
fn an_agent_sees_only_its_three_streams_whatever_its_caller_had_open() {
    for (host, mode) in HOSTS.into_iter().flat_map(|host| MODES.map(|mode| (host, mode))) {
        let (world, repo) = world();
        // `ls` itself opens the directory it lists.
        world.agent("listing", "exec ls -l /proc/self/fd");
        let run = world.run_command(&repo, "listing", &how(host, mode));
        let mut leaky = world.program("sh");
        leaky.args(["-c", "exec 7</etc/passwd 9>>\"$HOME/leak\"; exec \"$@\"", "sh"]);
        leaky.arg(run.get_program()).args(run.get_args()).arg("--json");
        let answer = world.run(&mut leaky).object();
        let run = world.run_with_id(answer["data"]["id"].as_str().unwrap());
        assert_eq!(world.ended(&run)["state"], "completed");
        let said = String::from_utf8(run.log("runner.stdout.log")).unwrap();
        let links = said.lines().filter_map(|line| line.split_once(" -> "));
        let open: Vec<&str> = links
            .filter(|(_, target)| !target.starts_with("/proc/"))
            .map(|(line, _)| line.rsplit(' ').next().unwrap())
            .collect();
        assert_eq!(open, ["0", "1", "2"], "{host} {mode}:\n{said}");
        clear_away(&world, &repo, &[&run]);
    }
}
