use super::*;

/// One entry for a plain file, of version 2.
fn plain(path: &str) -> Vec<u8> {
    let mut bytes = vec![0; 40];
    bytes[24..28].copy_from_slice(&0o100_644_u32.to_be_bytes());
    bytes.extend_from_slice(&[7; 20]);
    bytes.extend_from_slice(&(0x8000 | u16::try_from(path.len()).unwrap()).to_be_bytes());
    bytes.extend_from_slice(path.as_bytes());
    bytes.resize(bytes.len() / 8 * 8 + 8, 0);
    bytes
}

fn index_of(entries: &[Vec<u8>], extensions: &[u8]) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x02".to_vec();
    bytes.extend_from_slice(&u32::try_from(entries.len()).unwrap().to_be_bytes());
    entries.iter().for_each(|entry| bytes.extend_from_slice(entry));
    bytes.extend_from_slice(extensions);
    bytes.extend_from_slice(&[9; 20]);
    bytes
}

#[test]
fn what_is_written_is_read_again_without_the_flag_that_hides_changes() {
    let read = IndexFile::parse(&index_of(&[plain("a"), plain("b/c")], b"TREE\0\0\0\x01x")).unwrap();
    assert_eq!(read.entries.iter().map(|entry| entry.path.as_slice()).collect::<Vec<_>>(), [&b"a"[..], b"b/c"]);
    let written = read.to_bytes();
    assert_eq!(IndexFile::parse(&written).unwrap(), read);
    assert_eq!(written.len(), 12 + 64 + 72 + 20, "no extension, and no assume-unchanged flag");
    assert_eq!(written[12 + 60], 0);
}

#[test]
fn paths_that_lead_out_of_the_working_tree_or_into_git_are_refused() {
    for path in ["../x", "a//b", "/etc/passwd", ".git/hooks/x", "a/.GIT/config", "a/.", ""] {
        assert_eq!(IndexFile::parse(&index_of(&[plain(path)], b"")), Err(Unusable), "{path}");
    }
    let unsorted = index_of(&[plain("b"), plain("a")], b"");
    assert_eq!(IndexFile::parse(&unsorted), Err(Unusable));
}

#[test]
fn an_index_that_is_split_sparse_or_damaged_is_not_used() {
    assert_eq!(IndexFile::parse(&index_of(&[], b"link\0\0\0\0")), Err(Unusable));
    assert_eq!(IndexFile::parse(&index_of(&[], b"sdir\0\0\0\0")), Err(Unusable));
    assert_eq!(IndexFile::parse(&index_of(&[], b"evil\0\0\0\0")), Err(Unusable));
    assert_eq!(IndexFile::parse(b""), Err(Unusable));
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>, version in 2_u8..5, count in 0_u8..9) {
        let mut content = b"DIRC\0\0\0".to_vec();
        content.push(version);
        content.extend_from_slice(&[0, 0, 0, count]);
        content.extend_from_slice(&bytes);
        let _ = IndexFile::parse(&content);
        let _ = IndexFile::parse(&bytes);
    }
}
