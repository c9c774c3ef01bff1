//! A checkout that the agent of a run made git believe in is not a checkout of the user: no git runs there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use agency_workspace::{GitWorktree, MergeError, MergeRequest, MergeStrategy};

use crate::merging::{merged, request};
use crate::merging_checkouts::worked;
use crate::world::{World, executable, git, write};

/// The worktree of a run whose agent checked out `release` in it, with programs for every git that runs there.
struct Planted {
    world: World,
    worktree: GitWorktree,
    admin: PathBuf,
    ran: PathBuf,
}

impl Planted {
    fn new() -> Self {
        let world = World::new();
        world.git(["branch", "release"]);
        world.git(["config", "extensions.worktreeConfig", "true"]);
        let ran = world.root().join("ran");
        let script = world.root().join("planted");
        executable(&script, &format!("echo \"$0\" \"$@\" >>'{}'", ran.display()));
        let worktree = world.prepared();
        let path = &worktree.path;
        let hooks = path.join("hooks");
        for hook in ["pre-merge-commit", "commit-msg", "post-merge", "reference-transaction", "post-index-change"] {
            executable(&hooks.join(hook), &format!("echo \"$0\" >>'{}'", ran.display()));
        }
        git(path, ["config", "--worktree", "core.fsmonitor", script.to_str().unwrap()]);
        git(path, ["config", "--worktree", "core.hooksPath", hooks.to_str().unwrap()]);
        let admin = PathBuf::from(git(path, ["rev-parse", "--absolute-git-dir"]));
        fs::write(admin.join("HEAD"), "ref: refs/heads/release\n").unwrap();
        Self { world, worktree, admin, ran }
    }

    /// Lets git's entry lead to another path, as an agent can.
    fn leads_to(&self, place: &Path) {
        fs::write(self.admin.join("gitdir"), format!("{}\n", place.join(".git").display())).unwrap();
        // What the agent's own git ran is not ours.
        let _ = fs::remove_file(&self.ran);
        let listed = self.world.git(["worktree", "list", "--porcelain"]);
        assert!(listed.contains(&format!("worktree {}\n", place.display())), "{listed}");
        let _ = fs::remove_file(&self.ran);
    }

    #[track_caller]
    fn refuses_to_merge(&self) {
        let other = worked(&self.world);
        let before = self.world.git(["rev-parse", "release"]);
        let _ = fs::remove_file(&self.ran);
        for strategy in [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase] {
            let outcome = other.merge(&MergeRequest { into: "release".to_owned(), ..request(strategy) });
            assert!(!self.ran.exists(), "{}", fs::read_to_string(&self.ran).unwrap());
            assert!(matches!(outcome, Err(MergeError::WorktreeOfRun { .. })), "{outcome:?}");
        }
        other.review("release").unwrap();
        other.preview_merge("release").unwrap();
        assert!(!self.ran.exists(), "{}", fs::read_to_string(&self.ran).unwrap());
        assert_eq!(self.world.git(["rev-parse", "release"]), before);
    }
}

#[test]
fn a_worktree_of_a_run_that_is_registered_through_a_link_is_not_a_checkout_of_the_user() {
    let planted = Planted::new();
    let link = planted.world.root().join("link");
    symlink(&planted.worktree.path, &link).unwrap();
    planted.leads_to(&link);
    planted.refuses_to_merge();
}

#[test]
fn a_directory_elsewhere_with_the_entry_of_a_run_is_not_a_checkout_of_the_user() {
    let planted = Planted::new();
    let elsewhere = planted.world.root().join("elsewhere");
    write(&elsewhere.join(".git"), &format!("gitdir: {}\n", planted.admin.display()));
    planted.leads_to(&elsewhere);
    planted.refuses_to_merge();
    // The same by another name of the entry.
    let name = planted.world.root().join("name");
    symlink(&planted.admin, &name).unwrap();
    write(&elsewhere.join(".git"), &format!("gitdir: {}\n", name.display()));
    planted.refuses_to_merge();
}

/// With a relative path, as husky sets it, hooks are those of a checkout: that of the user, also where another branch is
/// checked out there.
#[test]
fn hooks_of_a_directory_that_an_agent_registered_do_not_run() {
    let planted = Planted::new();
    let elsewhere = planted.world.root().join("elsewhere");
    fs::remove_file(planted.admin.join("config.worktree")).unwrap();
    planted.world.git(["config", "core.hooksPath", "hooks"]);
    for hook in ["pre-merge-commit", "commit-msg", "post-merge", "reference-transaction"] {
        executable(&elsewhere.join("hooks").join(hook), &format!("echo \"$0\" >>'{}'", planted.ran.display()));
    }
    write(&elsewhere.join(".git"), &format!("gitdir: {}\n", planted.admin.display()));
    planted.leads_to(&elsewhere);
    planted.refuses_to_merge();
}

/// A link to a checkout of the user stays one.
#[test]
fn a_checkout_of_the_user_that_is_registered_through_a_link_is_brought_up_to_date() {
    let world = World::new();
    let (real, link) = (world.root().join("real"), world.root().join("link"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    let checkout = link.join("release");
    world.git(["worktree", "add", "-q", "-b", "release", checkout.to_str().unwrap()]);
    fs::write(world.repository.join(".git/worktrees/release/gitdir"), format!("{}/.git\n", checkout.display()))
        .unwrap();
    let worktree = worked(&world);
    merged(worktree.merge(&MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Merge) }));
    assert!(real.join("release/new").exists());
    assert_eq!(git(&checkout, ["status", "--porcelain"]), "");
}
