//! Files that a review is about: as they are, under any name.

use std::fs;
use std::os::unix::fs::symlink;

use agency_workspace::{FileNow, FileVersion, Workspace};

use crate::world::{World, commit_all, git, write};

fn content(version: Option<&FileVersion>) -> Option<&str> {
    version.and_then(|version| version.content.as_deref()).map(|content| std::str::from_utf8(content).unwrap())
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn files_are_read_as_they_are_and_as_they_were() {
    let world = World::new();
    let worktree = world.prepared();
    let before = worktree.files_now(&[]).unwrap().tree;
    write(&worktree.path.join("a.txt"), "one\n2\n");
    write(&worktree.path.join("new.txt"), "new\n");
    fs::rename(worktree.path.join("dir/b.txt"), worktree.path.join("dir/c.txt")).unwrap();
    symlink("/etc/passwd", worktree.path.join("link")).unwrap();
    let found = worktree.files_now(&names(&["a.txt", "new.txt", "dir/b.txt", "link", "dir", "none"])).unwrap();
    let [changed, new, renamed, link, directory, none] = &found.files[..] else { panic!("{found:?}") };
    assert_eq!((content(changed.now.as_ref()), content(changed.base.as_ref())), (Some("one\n2\n"), Some("one\ntwo\n")));
    assert_eq!((content(new.now.as_ref()), &new.base), (Some("new\n"), &None));
    assert_eq!((renamed.path.as_str(), content(renamed.base.as_ref())), ("dir/c.txt", Some("bee\n")));
    assert_eq!(link.now.as_ref().unwrap().content, None);
    let absent = |path: &str| FileNow { path: path.to_owned(), ..FileNow::default() };
    assert_eq!((directory, none), (&absent("dir"), &absent("none")));
    // The tree is what a commit has, and no object of it is in the repository.
    assert_ne!(found.tree, before);
    assert!(!git_knows(&world, &found.tree));
    commit_all(&worktree.path, "all");
    assert_eq!(git(&worktree.path, ["rev-parse", "HEAD^{tree}"]), found.tree);
    assert_eq!(worktree.files_now(&[]).unwrap().tree, found.tree);
}

fn git_knows(world: &World, object: &str) -> bool {
    let asked =
        std::process::Command::new("git").args(["cat-file", "-e", object]).current_dir(&world.repository).output();
    asked.unwrap().status.success()
}

#[test]
fn a_name_is_never_a_pattern_or_an_option_and_is_found_as_it_is_shown() {
    let world = World::new();
    let worktree = world.prepared();
    for name in ["*.txt", "-x", ":(top)a", "a\nb", "\u{1b}[2J", "\"quoted\""] {
        write(&worktree.path.join(name), name);
    }
    let asked = names(&["*.txt", "-x", ":(top)a", "a\\nb", "\\x1b[2J", "\"quoted\"", "[a].txt", ":/"]);
    let found = worktree.files_now(&asked).unwrap().files;
    let read: Vec<(&str, Option<&str>)> =
        found.iter().map(|file| (file.path.as_str(), content(file.now.as_ref()))).collect();
    let same = |name: &'static str| (name, Some(name));
    let wanted = [same("*.txt"), same("-x"), same(":(top)a"), same("a\nb"), same("\u{1b}[2J"), same("\"quoted\"")];
    assert_eq!(read[..6], wanted);
    assert_eq!(read[6..], [("[a].txt", None), (":/", None)]);
}
