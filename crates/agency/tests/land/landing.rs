//! One run lands: committed, merged, checked, recorded.

use std::fs;
use std::os::unix::process::CommandExt;
use std::time::Duration;

use agency_model::ErrorCode;
use agency_testkit::{World, agent, conversation};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::{events, finished, on, world};

const WORK: &[&str] = &["landing", "checked", "landed", "land_failed"];

#[test]
fn uncommitted_work_lands_where_the_run_started_and_is_recorded() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo one >a.txt; git add a.txt; git commit -qm a; echo two >b.txt");
    repo.git(&["switch", "-qc", "elsewhere"]);
    let landed = world.json(&["land", &run.id])["data"]["landed"][0].take();
    assert_eq!((&landed["target"], &landed["already"]), (&"main".into(), &false.into()), "{landed}");
    assert_eq!((on(&repo, "main", "a.txt").trim(), on(&repo, "main", "b.txt").trim()), ("one", "two"));
    let commit = landed["commit"].as_str().unwrap();
    assert_eq!(repo.git(&["rev-parse", "main"]).trim(), commit);
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "main^2"]).trim(), "do it", "the prompt is the message");
    let shown = world.show(&run);
    assert_eq!((&shown["landed_into"], &shown["landed_commit"]), (&"main".into(), &commit.into()));
    assert!(shown["landed_at"].is_string() && world.ok(&["show", &run.id]).stdout.contains("landed"));
    assert_eq!(world.json(&["ls", "--all"])["data"]["runs"][0]["landed_commit"], commit);
    assert_eq!(events(&run, WORK), ["landing", "landed"]);
    let again = world.json(&["land", &run.id])["data"]["landed"][0].take();
    assert_eq!((&again["already"], &again["commit"]), (&true.into(), &commit.into()));
    assert_eq!(events(&run, WORK), ["landing", "landed"], "nothing new happened");
    assert!(!repo.path.join("b.txt").exists(), "another branch is checked out");
}

#[test]
fn the_strategies_and_the_message_are_the_users() {
    let (world, repo) = world();
    for strategy in ["merge", "squash", "rebase"] {
        let script = format!("echo x >{strategy}-1; git add .; git commit -qm first; echo y >{strategy}-2");
        let run = finished(&world, &repo, &script);
        repo.commit_file(&format!("users-{strategy}"), "meanwhile\n");
        let arguments = ["land", &run.id, "--strategy", strategy, "-m", "By the user", "--rm"];
        let landed = world.json(&arguments)["data"]["landed"][0].take();
        assert_eq!(landed["strategy"], strategy);
        let parents = repo.git(&["log", "-1", "--format=%P|%s", "main"]);
        assert!(parents.trim().ends_with("|By the user"), "{strategy}: {parents}");
        assert_eq!(parents.contains(' ') && parents.split('|').next().unwrap().contains(' '), strategy == "merge");
        assert!(repo.path.join(format!("{strategy}-2")).exists(), "the checkout follows");
        assert!(world.show(&run)["removed_at"].is_string());
        let has_branch = repo.branches().contains(&format!("agency/{}", run.id));
        assert_eq!(has_branch, strategy != "merge", "the branch goes if the target holds it");
    }
}

#[test]
fn checks_see_the_merged_files_and_a_failure_keeps_the_target() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo agent >agent.txt");
    let before = repo.commit_file("user.txt", "user\n");
    let check = "cat agent.txt user.txt && test \"$AGENCY_LAND_TARGET\" = main && \
                 test \"$AGENCY_LAND_COMMIT\" = \"$(git rev-parse HEAD)\" && test -n \"$AGENCY_RUN_ID\"";
    let failed = world.error(&["land", &run.id, "--check", "echo said; exit 7"], ErrorCode::CheckFailed);
    assert_eq!((&failed["details"]["exit_code"], &failed["details"]["output"]), (&7.into(), &"said\n".into()));
    assert_eq!(repo.git(&["rev-parse", "main"]).trim(), before.trim());
    assert_eq!(std::fs::read_to_string(run.file("land/check-1.log")).unwrap(), "said\n");
    let sly =
        format!("'{}' land {} || test $? = 8 && touch new && echo x >>agent.txt", env!("CARGO_BIN_EXE_agency"), run.id);
    let output = world.agency(&["land", &run.id, "--check", check, "--check", &sly]);
    assert_eq!(output.status.code(), Some(0), "{}", output.stderr);
    assert!(output.stderr.contains("execute code that the agent wrote"), "{}", output.stderr);
    assert_eq!(on(&repo, "main", "agent.txt").trim(), "agent", "what a check writes does not land");
    assert_eq!(events(&run, WORK), ["landing", "checked", "land_failed", "landing", "checked", "checked", "landed"]);
}

#[test]
fn checks_of_the_project_need_trust_and_ignored_files_stay_warm() {
    let (world, repo) = world();
    repo.commit_file(".gitignore", "built\n");
    repo.write(".agency/project.toml", "[land]\ncheck = [\"echo x >>built; wc -l <built\"]\n");
    let first = finished(&world, &repo, "echo 1 >one");
    world.error(&["land", &first.id], ErrorCode::NotTrusted);
    assert!(!world.agency_home().join("trials").exists(), "nothing is executed");
    world.ok(&["trust", "--yes", "--repo", repo.path.to_str().unwrap()]);
    world.ok(&["land", &first.id]);
    let lines =
        |run: &agency_testkit::Run| std::fs::read_to_string(run.file("land/check-1.log")).unwrap().trim().to_owned();
    assert_eq!(lines(&first), "1");
    let second = finished(&world, &repo, "echo 2 >two");
    world.ok(&["land", &second.id]);
    assert_eq!(lines(&second), "2");
    let third = finished(&world, &repo, "echo 3 >three");
    world.ok(&["land", &third.id, "--fresh"]);
    assert_eq!(lines(&third), "1");
    let fourth = finished(&world, &repo, "echo 4 >four");
    repo.write(".agency/project.toml", "[land]\ncheck = [\"true\"]\n");
    world.error(&["land", &fourth.id], ErrorCode::NotTrusted);
    world.ok(&["land", &fourth.id, "--no-check"]);
}

#[test]
fn a_check_that_hangs_is_ended_with_what_it_started() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo 1 >one");
    let hanging = "setsid sleep 600 & trap '' TERM; sleep 600 & wait; sleep 600";
    let error = world.error(&["land", &run.id, "--check", hanging, "--check-timeout", "1s"], ErrorCode::CheckFailed);
    assert!(error["message"].as_str().unwrap().contains("took longer than 1 s"), "{error}");
    assert!(!is_left(&world), "a process of the check is left");
    // What a check that succeeds leaves running is ended, too.
    let leaving = "setsid sleep 600 >/dev/null 2>&1 & sleep 600 >/dev/null 2>&1 & true";
    world.ok(&["land", &run.id, "--check", leaving]);
    assert!(!is_left(&world), "a process of the check is left");
}

/// Whether a process of a check is there.
fn is_left(world: &World) -> bool {
    let marker = format!("AGENCY_LAND_TREE={}", world.agency_home().join("trials").display());
    let carries = |entry: std::fs::DirEntry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&marker)
    };
    std::fs::read_dir("/proc").unwrap().flatten().any(carries)
}

#[test]
fn the_end_of_the_terminal_ends_a_check() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo 1 >one");
    let begun = world.root().join("begun");
    let check = format!("setsid sleep 600 & : >'{}'; sleep 600", begun.display());
    let mut command = world.program("env");
    // The tests may run where it is ignored.
    command.args(["--default-signal=HUP", env!("CARGO_BIN_EXE_agency"), "land", &run.id, "--check", &check]);
    let landing = world.start(&mut command);
    agency_testkit::wait_for("the check", Duration::from_secs(30), || begun.exists().then_some(()));
    kill_process(Pid::from_raw(landing.id().cast_signed()).unwrap(), Signal::HUP).unwrap();
    assert!(!landing.wait().status.success());
    assert!(!is_left(&world), "a process of the check is left");
}

#[test]
fn nothing_lands_of_a_run_that_changed_nothing_is_at_work_or_was_removed() {
    let (world, repo) = world();
    let empty = finished(&world, &repo, "true");
    world.error(&["land", &empty.id], ErrorCode::NotReady);
    assert_eq!(events(&empty, WORK), ["land_failed"]);
    world.ok(&["rm", &empty.id]);
    world.error(&["land", &empty.id], ErrorCode::InvalidState);
    world.agent("waiting", agent::waiting());
    let live = world.begin(&repo, "waiting", &["--host", "detached", "--mode", "headless"]);
    live.wait_for_output("ready");
    let error = world.error(&["land", &live.id], ErrorCode::NotReady);
    assert!(error["message"].as_str().unwrap().contains("is at work"), "{error}");
    world.ok(&["stop", &live.id]);
}

#[test]
fn an_idle_agent_lands_and_a_working_one_is_interrupted_first() {
    let (world, repo) = world();
    let script = "hear_message; echo one >one; finish done; hear_message; echo two >two; hear; give_up; hear_the_end";
    world.agent("talker", conversation::speaking(script));
    let path = repo.path.to_str().unwrap();
    let spawn = ["agent", "spawn", "alice", "--repo", path, "--runner", "talker", "--prompt", "do it"];
    world.ok(&[&spawn[..], &["--mode", "headless"]].concat());
    let run = world.runs().remove(0);
    let is_idle = || (world.show(&run)["status"] == "idle").then_some(());
    agency_testkit::wait_for("the agent to be idle", Duration::from_secs(30), is_idle);
    world.ok(&["land", &run.id]);
    assert_eq!(on(&repo, "main", "one").trim(), "one");
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "main^2"]).trim(), "do it");
    world.ok(&["send", &run.id, "more"]);
    agency_testkit::wait_for("the second file", Duration::from_secs(30), || {
        world.show(&run)["changed_files"].as_array()?.iter().any(|file| file["path"] == "two").then_some(())
    });
    world.error(&["land", &run.id], ErrorCode::NotReady);
    world.ok(&["land", &run.id, "--interrupt"]);
    assert_eq!(on(&repo, "main", "two").trim(), "two");
    assert_eq!(events(&run, WORK), ["landing", "landed", "landing", "landed"]);
    world.ok(&["stop", &run.id]);
}

#[test]
fn a_dry_run_names_conflicts_and_checks_and_changes_nothing() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo agent >README.md; echo new >new.txt");
    let tip = repo.git(&["rev-parse", &format!("agency/{}", run.id)]);
    let plan = world.json(&["land", &run.id, "--dry-run", "--check", "make test"])["data"]["runs"][0].take();
    assert_eq!((&plan["outcome"], &plan["uncommitted"]), (&"clean".into(), &2.into()), "{plan}");
    assert_eq!((&plan["target"], &plan["checks"][0]), (&"main".into(), &"make test".into()));
    repo.commit_file("README.md", "user\n");
    let plan = world.json(&["land", &run.id, "--dry-run"])["data"]["runs"][0].take();
    assert_eq!(plan["outcome"], "conflicts");
    assert_eq!(
        (&plan["conflicts"][0]["path"], &plan["conflicts"][0]["kind"]),
        (&"README.md".into(), &"contents".into())
    );
    let text = world.ok(&["land", &run.id, "--dry-run"]).stdout;
    assert!(text.contains("does not merge into main") && text.contains("conflict (contents): README.md"), "{text}");
    assert_eq!(repo.git(&["rev-parse", &format!("agency/{}", run.id)]), tip);
    assert_eq!(events(&run, WORK), Vec::<String>::new());
}

#[test]
fn the_message_is_what_the_agent_said_without_what_a_terminal_obeys() {
    let (world, repo) = world();
    let said = r#"hear_message; echo 1 >one; finish 'Fixed\u001b[2J it.\n\nAll tests pass.'"#;
    world.agent("talker", conversation::speaking(said));
    let run = world.begin(&repo, "talker", &["--host", "detached", "--mode", "headless"]);
    world.ended(&run);
    world.ok(&["land", &run.id]);
    let message = repo.git(&["log", "-1", "--format=%B", "main^2"]);
    assert_eq!(message.trim(), "Fixed\\x1b[2J it\n\nAll tests pass.");
}

#[test]
fn an_agent_does_not_land_its_own_work() {
    let (world, repo) = world();
    let binary = env!("CARGO_BIN_EXE_agency");
    let other = finished(&world, &repo, "echo 1 >one");
    let sly = finished(&world, &repo, &format!("{binary} land {} 2>&1; echo code $?", other.id));
    let said = world.ok(&["logs", "--stdout", &sly.id]).stdout;
    assert!(said.contains("E_NOT_ALLOWED") && said.contains("code 8"), "{said}");
    assert_eq!(events(&other, WORK), Vec::<String>::new());
}

/// Ctrl-C reaches every process that the terminal knows as the command.
#[test]
fn an_interrupt_while_the_checkout_is_updated_leaves_it_whole() {
    let (world, repo) = world();
    repo.commit_file(".gitattributes", "slow* filter=slow\n");
    let run = finished(&world, &repo, "for number in 1 2 3 4; do echo $number >slow$number; done");
    let (begun, release) = (world.root().join("begun"), world.root().join("release"));
    let smudge = format!(": >'{}'; until [ -e '{}' ]; do sleep 0.01; done; cat", begun.display(), release.display());
    repo.git(&["config", "filter.slow.smudge", &smudge]);
    let mut command = world.command(&["--json", "land", &run.id]);
    command.process_group(0);
    let landing = world.start(&mut command);
    agency_testkit::wait_for("the update of the checkout", Duration::from_secs(30), || begun.exists().then_some(()));
    let group = Pid::from_raw(landing.id().cast_signed()).unwrap();
    kill_process_group(group, Signal::INT).unwrap();
    fs::write(&release, "").unwrap();
    landing.wait();
    world.ok(&["land", &run.id]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!((on(&repo, "main", "slow1").trim(), on(&repo, "main", "slow4").trim()), ("1", "4"));
    assert_eq!(events(&run, &["landed"]), ["landed"]);
}
