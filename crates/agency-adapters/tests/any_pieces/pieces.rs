//! Bytes cut into pieces.

/// `bytes` cut into pieces of these sizes, again and again; as a whole if there are none.
pub(crate) fn pieces<'a>(bytes: &'a [u8], sizes: &[u8]) -> Vec<&'a [u8]> {
    let mut sizes = sizes.iter().map(|size| usize::from(*size).max(1)).cycle();
    let mut rest = bytes;
    let mut pieces = vec![];
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(sizes.next().unwrap_or(rest.len()).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}
