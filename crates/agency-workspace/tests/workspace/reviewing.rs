//! What a merge would bring can be looked at before.

use agency_workspace::{FileStatus, MergeStrategy, Mergeable};

use crate::merging::{diverged, merged, request};
use crate::world::{World, git};

// proves W10, W12
#[test]
fn commits_files_and_diff_are_those_of_the_branch_alone() {
    let world = World::new();
    let worktree = diverged(&world);
    let refs = world.git(["for-each-ref"]);
    let review = worktree.review("main").unwrap();
    let subjects: Vec<_> = review.commits.iter().map(|commit| commit.subject.as_str()).collect();
    assert_eq!(subjects, ["second of the agent", "first of the agent"]);
    assert_eq!(review.commits[0].author, "Tester");
    assert_eq!(review.commits[0].commit, review.branch_commit);
    assert_eq!(review.target_commit, world.head());
    let named = |name: &str| review.files.iter().find(|file| file.path.to_str() == Some(name)).unwrap();
    assert_eq!(review.files.len(), 6);
    assert_eq!(named("new").status, FileStatus::Added);
    assert_eq!(named("dir/new name").status, FileStatus::Renamed { from: "old name".into() });
    assert_eq!(named("bin").lines, None);
    let long = named("long").lines.unwrap();
    assert_eq!((long.added, long.removed), (1, 1));
    let diff = String::from_utf8(review.diff).unwrap();
    assert_eq!(diff.trim_end(), git(&worktree.path, ["diff", "-M", "--no-color", "main...HEAD"]));
    assert!(diff.contains("+one") && !diff.contains("eight"), "{diff}");
    assert_eq!(review.mergeable, Mergeable::Cleanly);
    assert_eq!(world.git(["for-each-ref"]), refs);

    merged(worktree.merge(&request(MergeStrategy::Merge)));
    let review = worktree.review("main").unwrap();
    assert_eq!((review.mergeable, review.commits.len(), review.files.len()), (Mergeable::AlreadyMerged, 0, 0));
}
