//! Objects of the repository that lie in a worktree, as `objects/info/alternates` and links can have it.
//!
//! The one rule: only files are read. With the worktree, the repository would lose these objects, whatever refs lead to them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::link;

/// A file with more is not one that git reads.
const MAX_ALTERNATES_BYTES: u64 = 1024 * 1024;
/// Git follows fewer from one to the next.
const MAX_STORES: usize = 1000;

/// The directories and links by which objects of a repository lie in a working tree; as relative paths where they are below it.
pub(super) fn objects_inside(common_dir: &Path, work_tree: &Path) -> Vec<PathBuf> {
    let (mut found, mut known) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![common_dir.join("objects")];
    while let Some(store) = open.pop() {
        if known.len() >= MAX_STORES || !known.insert(fs::canonicalize(&store).unwrap_or_else(|_| store.clone())) {
            continue;
        }
        let places = [store.clone()].into_iter().chain(links_in(&store)).chain(links_in(&store.join("pack")));
        found.extend(places.filter(|place| link::lies_in(place, work_tree)));
        open.extend(alternates_of(&store));
    }
    let real = fs::canonicalize(work_tree).unwrap_or_else(|_| work_tree.to_owned());
    let shown = |place: PathBuf| {
        let target = fs::canonicalize(&place).unwrap_or(place);
        target.strip_prefix(&real).map_or_else(|_| target.clone(), Path::to_owned)
    };
    found.into_iter().map(shown).collect()
}

fn links_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    links.map(|entry| entry.path()).collect()
}

/// The further directories from which git reads objects.
fn alternates_of(store: &Path) -> Vec<PathBuf> {
    let read = link::read_regular(&store.join("info/alternates"), MAX_ALTERNATES_BYTES);
    let content = read.map(|(content, _)| content).unwrap_or_default();
    let lines = content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    lines.map(|line| store.join(OsString::from_vec(unquoted(line)))).collect()
}

/// A path as git reads it, which may be in quotes.
fn unquoted(line: &[u8]) -> Vec<u8> {
    let Some(quoted) = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")) else {
        return line.to_vec();
    };
    let (mut path, mut rest) = (vec![], quoted);
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'\\' {
            path.push(*first);
            continue;
        }
        let digits = rest.iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
        let (byte, length) = match (digits, rest.first()) {
            (3, _) => (rest.iter().take(3).fold(0_u8, |sum, digit| (sum << 3) | (digit - b'0')), 3),
            (_, Some(b'a')) => (7, 1),
            (_, Some(b'b')) => (8, 1),
            (_, Some(b't')) => (b'\t', 1),
            (_, Some(b'n')) => (b'\n', 1),
            (_, Some(b'v')) => (11, 1),
            (_, Some(b'f')) => (12, 1),
            (_, Some(b'r')) => (b'\r', 1),
            (_, Some(other)) => (*other, 1),
            (_, None) => (b'\\', 0),
        };
        path.push(byte);
        rest = rest.get(length..).unwrap_or_default();
    }
    path
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_in_quotes_is_read_as_git_reads_it() {
        assert_eq!(unquoted(b"/a b"), b"/a b");
        assert_eq!(unquoted(br#""/a\"b\\\057c\t""#), b"/a\"b\\/c\t");
    }

    #[test]
    fn stores_are_followed_from_one_to_the_next() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        for directory in ["repo/objects/info", "far/info", "tree/objs", "tree/pack"] {
            fs::create_dir_all(path(directory)).unwrap();
        }
        assert!(objects_inside(&path("repo"), &path("tree")).is_empty());
        fs::write(path("repo/objects/info/alternates"), "# x\n../../far\n").unwrap();
        assert!(objects_inside(&path("repo"), &path("tree")).is_empty());
        fs::write(path("far/info/alternates"), format!("{}\n../repo/objects\n", path("tree/objs").display())).unwrap();
        symlink(path("tree/pack"), path("far/pack")).unwrap();
        assert_eq!(objects_inside(&path("repo"), &path("tree")), [Path::new("pack"), Path::new("objs")]);
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read_without_a_panic(line: Vec<u8>) {
            unquoted(&line);
        }
    }
}
