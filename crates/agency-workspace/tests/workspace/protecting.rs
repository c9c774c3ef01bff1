//! Work that is checked with the protected files of its base.

use std::fs;
use std::path::PathBuf;

use agency_workspace::Workspace;

use crate::world::{World, commit_all, git, write};

#[test]
fn protected_files_are_those_of_the_base_and_the_worktree_stays_as_it_is() {
    let world = World::new();
    world.write("tests/a.sh", "exit 1\n");
    world.write("tests/deep/b.sh", "exit 1\n");
    commit_all(&world.repository, "tests");
    let worktree = world.prepared();
    write(&worktree.path.join("tests/a.sh"), "exit 0\n");
    commit_all(&worktree.path, "an easier test");
    fs::remove_file(worktree.path.join("tests/deep/b.sh")).unwrap();
    write(&worktree.path.join("tests/new.sh"), "exit 0\n");
    write(&worktree.path.join("a.txt"), "work\n");
    let before = git(&worktree.path, ["status", "--porcelain"]);
    let found = worktree.protected_work(&["tests/**".to_owned()]).unwrap();
    let show = |path: &str| git(&world.repository, ["show", &format!("{}:{path}", found.commit)]);
    assert_eq!((show("a.txt").as_str(), show("tests/a.sh").as_str()), ("work", "exit 1"));
    let files = git(&world.repository, ["ls-tree", "-r", "--name-only", found.commit.as_str(), "tests"]);
    assert_eq!(files, "tests/a.sh\ntests/deep/b.sh");
    let changed = ["tests/a.sh", "tests/deep/b.sh", "tests/new.sh"].map(PathBuf::from);
    assert_eq!(found.changed, changed);
    assert_eq!(git(&worktree.path, ["status", "--porcelain"]), before);
    assert_eq!(found.tree, worktree.files_now(&[]).unwrap().tree);
    // Without a pattern, it is the work itself.
    let plain = worktree.protected_work(&[]).unwrap();
    assert_eq!(git(&world.repository, ["rev-parse", &format!("{}^{{tree}}", plain.commit)]), plain.tree);
}

#[test]
fn attributes_of_protected_files_are_those_of_the_base() {
    for (attributes, is_protected) in
        [("*.sh filter=other\n", true), ("tests/** text eol=crlf\n", true), ("*.txt text\n", false)]
    {
        let world = World::new();
        world.write("tests/a.sh", "exit 1\n");
        commit_all(&world.repository, "tests");
        let worktree = world.prepared();
        write(&worktree.path.join(".gitattributes"), attributes);
        write(&worktree.path.join("a.txt"), "work\n");
        let found = worktree.protected_work(&["tests/**".to_owned()]).unwrap();
        let files = git(&world.repository, ["ls-tree", "-r", "--name-only", found.commit.as_str()]);
        assert_eq!(files.contains(".gitattributes"), !is_protected, "{attributes}");
        let changed = if is_protected { vec![PathBuf::from(".gitattributes")] } else { vec![] };
        assert_eq!(found.changed, changed, "{attributes}");
        assert_eq!(git(&world.repository, ["show", &format!("{}:a.txt", found.commit)]), "work");
    }
}
