//! Reads what `git diff` prints. Total: what is not understood is shown as it stands.

use std::ops::Range;

use agency_model::escaped_line;

/// No more of a patch is read.
pub(in crate::tui) const MAX_PATCH_BYTES: usize = 16 * 1024 * 1024;

/// A patch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::tui) struct Patch {
    pub(in crate::tui) text: String,
    pub(in crate::tui) files: Vec<PatchFile>,
    /// How many bytes were too many.
    pub(in crate::tui) left_out: usize,
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) struct PatchFile {
    pub(in crate::tui) path: String,
    pub(in crate::tui) fate: ChangeKind,
    pub(in crate::tui) binary: bool,
    pub(in crate::tui) added: u64,
    pub(in crate::tui) removed: u64,
    /// Where its lines stand in the text.
    pub(in crate::tui) lines: Vec<Range<u32>>,
}

/// What was done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) enum ChangeKind {
    Changed,
    New,
    Deleted,
    /// It had this name.
    Renamed(String),
    /// It is a copy of this one.
    Copied(String),
    /// Only what may be done with it.
    Mode(String),
}

impl PatchFile {
    fn new(path: String) -> Self {
        Self { path, fate: ChangeKind::Changed, binary: false, added: 0, removed: 0, lines: vec![] }
    }

    /// Its name, and the old one if it had another.
    pub(in crate::tui) fn title(&self, arrow: &str) -> String {
        match &self.fate {
            ChangeKind::Renamed(old) | ChangeKind::Copied(old) => format!("{old} {arrow} {}", self.path),
            ChangeKind::Changed | ChangeKind::New | ChangeKind::Deleted | ChangeKind::Mode(_) => self.path.clone(),
        }
    }

    /// What was done to it, if there is more to say than that it changed.
    pub(in crate::tui) fn word(&self) -> Option<String> {
        let word = match &self.fate {
            ChangeKind::Changed => None,
            ChangeKind::New => Some("new".to_owned()),
            ChangeKind::Deleted => Some("deleted".to_owned()),
            ChangeKind::Renamed(_) => Some("renamed".to_owned()),
            ChangeKind::Copied(_) => Some("copied".to_owned()),
            ChangeKind::Mode(modes) => Some(modes.clone()),
        };
        match (word, self.binary) {
            (Some(word), true) => Some(format!("{word}, binary")),
            (None, true) => Some("binary".to_owned()),
            (word, false) => word,
        }
    }
}

impl Patch {
    /// Reads a patch.
    pub(in crate::tui) fn read(bytes: &[u8]) -> Self {
        let end = match bytes.get(..MAX_PATCH_BYTES) {
            Some(first) => first.iter().rposition(|byte| *byte == b'\n').map_or(MAX_PATCH_BYTES, |at| at + 1),
            None => bytes.len(),
        };
        let text = String::from_utf8_lossy(bytes.get(..end).unwrap_or(bytes)).into_owned();
        let mut reading = PatchParser::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            reading.line(line.strip_suffix('\n').unwrap_or(line), start);
            start += line.len();
        }
        Self { files: reading.files, left_out: bytes.len() - end, text }
    }
}

#[derive(Default)]
struct PatchParser {
    files: Vec<PatchFile>,
    /// Whether the lines are those of the file itself.
    inside: bool,
    old_mode: Option<String>,
}

impl PatchParser {
    fn line(&mut self, line: &str, start: usize) {
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.files.push(PatchFile::new(name_of_both(names)));
            (self.inside, self.old_mode) = (false, None);
            return;
        }
        if self.files.is_empty() {
            self.files.push(PatchFile::new(String::new()));
        }
        let Some(file) = self.files.last_mut() else { return };
        self.inside |= line.starts_with("@@") || line == "GIT binary patch";
        if !self.inside && header(file, line, &mut self.old_mode) {
            return;
        }
        match line.as_bytes().first() {
            Some(b'+') => file.added += 1,
            Some(b'-') => file.removed += 1,
            Some(_) | None => {}
        }
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(start + line.len())) {
            file.lines.push(start..end);
        }
    }
}

/// A line above the changes; whether all of it is in the heading.
fn header(file: &mut PatchFile, line: &str, old_mode: &mut Option<String>) -> bool {
    let (word, rest) = line.split_at(line.find(' ').unwrap_or(line.len()));
    let rest = rest.trim_start();
    match word {
        "index" | "similarity" | "dissimilarity" => {}
        "---" | "+++" => {
            let path = unquoted(rest.trim_end_matches('\t'));
            if let Some(path) = path.strip_prefix(if word == "---" { "a/" } else { "b/" }) {
                path.clone_into(&mut file.path);
            }
        }
        "new" if rest.starts_with("file mode") => file.fate = ChangeKind::New,
        "deleted" => file.fate = ChangeKind::Deleted,
        "old" => *old_mode = rest.strip_prefix("mode ").map(str::to_owned),
        "new" => {
            let old = old_mode.take().unwrap_or_default();
            let new = rest.strip_prefix("mode ").unwrap_or(rest);
            file.fate = ChangeKind::Mode(format!("mode {old} to {new}"));
        }
        "rename" | "copy" => match (rest.strip_prefix("from "), rest.strip_prefix("to ")) {
            (Some(old), _) if word == "rename" => file.fate = ChangeKind::Renamed(unquoted(old)),
            (Some(old), _) => file.fate = ChangeKind::Copied(unquoted(old)),
            (None, Some(new)) => file.path = unquoted(new),
            (None, None) => return false,
        },
        "Binary" => file.binary = true,
        _ => return false,
    }
    true
}

/// The name of a file that is named twice, `a/name b/name`.
fn name_of_both(names: &str) -> String {
    if names.starts_with('"') {
        let first = names.get(1..).and_then(end_of_quoted).map_or(names, |end| &names[..=end + 1]);
        return unquoted(first).trim_start_matches("a/").to_owned();
    }
    let half = names.len().saturating_sub(1) / 2;
    let first = names.get(..half).unwrap_or(names);
    first.strip_prefix("a/").unwrap_or(first).to_owned()
}

fn end_of_quoted(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let end = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        end
    })
}

/// A name that git may have written with escapes, in which nothing is hidden.
fn unquoted(name: &str) -> String {
    let Some(inside) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return escaped_line(name);
    };
    let mut bytes = vec![];
    let mut rest = inside.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                bytes.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(b'a') => bytes.push(0x07),
            Some(b'b') => bytes.push(0x08),
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b'v') => bytes.push(0x0b),
            Some(b'f') => bytes.push(0x0c),
            Some(b'r') => bytes.push(b'\r'),
            Some(other) => bytes.push(other),
            None => bytes.push(b'\\'),
        }
    }
    escaped_line(&String::from_utf8_lossy(&bytes))
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn a_name_never_looks_like_another_one() {
        assert_eq!(unquoted("\"inno\\342\\200\\213cent.txt\""), "inno\\u{200b}cent.txt");
        assert_eq!(unquoted("\"x\\033[2J\\r\\a\\nname\""), "x\\x1b[2J\\r\\x07\\nname");
        assert_eq!(unquoted("r\u{202e}tl"), "r\\u{202e}tl");
    }
}
