//! What landed is pushed, and a pull request is made by the forge's own program.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agency_model::ErrorCode;
use agency_testkit::{Repo, World};

use super::{events, finished, on, world};

/// A bare repository that is the remote `origin`.
fn with_remote() -> (World, Repo, String) {
    let (world, repo) = world();
    let remote = world.root().join("remote.git").display().to_string();
    repo.git(&["init", "-q", "--bare", &remote]);
    repo.git(&["remote", "add", "origin", &remote]);
    (world, repo, remote)
}

#[test]
fn the_target_is_pushed_after_the_work_landed_and_again_only_once() {
    let (world, repo, remote) = with_remote();
    let run = finished(&world, &repo, "echo 1 >one");
    let landed = world.json(&["land", &run.id, "--push"])["data"]["landed"][0].take();
    assert_eq!((&landed["published"]["remote"], &landed["published"]["branch"]), (&"origin".into(), &"main".into()));
    let at_remote = || repo.git(&["--git-dir", &remote, "rev-parse", "main"]);
    assert_eq!(at_remote(), repo.git(&["rev-parse", "main"]));
    world.ok(&["land", &run.id, "--push=origin"]);
    let other = finished(&world, &repo, "echo 2 >two");
    let error = world.error(&["land", &other.id, "--push=nowhere"], ErrorCode::MergeFailed);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("main has the work, but") && message.contains("nowhere"), "{error}");
    assert!(!error["hint"].as_str().unwrap().contains("not changed"), "{error}");
    assert_eq!(on(&repo, "main", "two").trim(), "2", "it landed before");
}

#[test]
fn a_pull_request_has_title_files_and_checks_and_the_target_stays() {
    let (mut world, repo, remote) = with_remote();
    let programs = world.root().join("programs");
    fs::create_dir_all(&programs).unwrap();
    let gh = programs.join("gh");
    let said = world.root().join("gh.log");
    let script = format!(
        "#!/bin/sh\nif [ -e '{0}' ]; then echo 'a pull request already exists:'; echo https://forge.test/pull/1; exit 1; fi\n\
         for word; do printf '%s\\n' \"$word\" >>'{0}'; done\nfor word; do body=$word; done; cat \"$body\" >>'{0}'\n\
         echo https://forge.test/pull/1\n",
        said.display()
    );
    fs::write(&gh, script).unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    world.set_variable("PATH", &path);
    let run = finished(&world, &repo, "echo 1 >one; echo 2 >'two; $(x)'");
    let before = repo.git(&["rev-parse", "main"]);
    for _ in 0..2 {
        let landed = world.json(&["land", &run.id, "--pr", "--check", "test -e one"])["data"]["landed"][0].take();
        assert_eq!(landed["published"]["pull_request"], "https://forge.test/pull/1", "{landed}");
        assert!(landed["commit"].is_null());
    }
    assert_eq!(repo.git(&["rev-parse", "main"]), before);
    assert!(world.show(&run)["landed_at"].is_null());
    let branch = format!("agency/{}", run.id);
    assert_eq!(repo.git(&["--git-dir", &remote, "rev-parse", &branch]), repo.git(&["rev-parse", &branch]));
    let said = fs::read_to_string(&said).unwrap();
    for text in ["--base\nmain", "--title\ndo it", "- `one`", "- `two; $(x)`", "- `test -e one`"] {
        assert!(said.contains(text), "{text} is missing in {said}");
    }
    world.error(&["land", &run.id, "--pr", "--check", "false"], ErrorCode::CheckFailed);
    assert_eq!(events(&run, &["landed"]), Vec::<String>::new());
}

/// The program of the forge works in the user's checkout, in which files of agents have landed before.
#[test]
fn the_program_of_a_forge_is_not_one_that_an_agent_wrote() {
    let (mut world, repo, _) = with_remote();
    let ran = world.root().join("ran");
    let programs = world.root().join("programs");
    let program = |path: &std::path::Path, script: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    program(&programs.join("gh"), "echo https://forge.test/pull/1");
    for name in ["gh", "git", "glab"] {
        program(&repo.path.join("node_modules/.bin").join(name), &format!("echo \"$0\" >>'{}'; exit 1", ran.display()));
    }
    let path =
        format!("node_modules/.bin:./node_modules/.bin:{}:{}", programs.display(), std::env::var("PATH").unwrap());
    world.set_variable("PATH", &path);
    let run = finished(&world, &repo, "echo 1 >one");
    let mut command = world.command(&["land", &run.id, "--pr", "--json"]);
    let landed = world.run(command.current_dir(&repo.path));
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).unwrap());
    assert_eq!(
        landed.object()["data"]["landed"][0]["published"]["pull_request"],
        "https://forge.test/pull/1",
        "{landed}"
    );
}
