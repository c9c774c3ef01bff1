//! Reads what `git diff` prints. Total: what is not understood is kept unchanged.

use super::name::{name_of_both, unquoted};
use super::{ChangeKind, MAX_PATCH_BYTES, Patch, PatchFile, PatchLine, PatchLineKind};

impl Patch {
    /// Reads a patch.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
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
    /// The numbers of the next lines, old and new; none outside a hunk.
    next: Option<(u32, u32)>,
}

impl PatchParser {
    fn line(&mut self, line: &str, start: usize) {
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.files.push(PatchFile::new(name_of_both(names)));
            (self.inside, self.old_mode, self.next) = (false, None, None);
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
        let (kind, old, new) = numbered(line, &mut self.next);
        match kind {
            PatchLineKind::Added => file.added += 1,
            PatchLineKind::Removed => file.removed += 1,
            PatchLineKind::Hunk | PatchLineKind::Context | PatchLineKind::Other => {}
        }
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(start + line.len())) {
            file.lines.push(PatchLine { start, end, kind, old, new });
        }
    }
}

/// What a line is, and its numbers in the old and the new file.
fn numbered(line: &str, next: &mut Option<(u32, u32)>) -> (PatchLineKind, Option<u32>, Option<u32>) {
    let (old, new) = (next.map(|(old, _)| old), next.map(|(_, new)| new));
    let mut advance = |old: u32, new: u32| {
        if let Some(next) = next.as_mut() {
            *next = (next.0.saturating_add(old), next.1.saturating_add(new));
        }
    };
    match line.as_bytes().first() {
        Some(b'+') => {
            advance(0, 1);
            (PatchLineKind::Added, None, new)
        }
        Some(b'-') => {
            advance(1, 0);
            (PatchLineKind::Removed, old, None)
        }
        Some(b' ') => {
            advance(1, 1);
            (PatchLineKind::Context, old, new)
        }
        Some(b'@') => {
            *next = hunk_start(line);
            (PatchLineKind::Hunk, None, None)
        }
        Some(_) | None => (PatchLineKind::Other, None, None),
    }
}

/// The first numbers of `@@ -1,3 +1,4 @@`.
fn hunk_start(line: &str) -> Option<(u32, u32)> {
    let mut words = line.split(' ').skip(1);
    let mut number = |sign: char| {
        let numbers = words.next()?.strip_prefix(sign)?;
        numbers.split(',').next()?.parse::<u32>().ok()
    };
    Some((number('-')?, number('+')?))
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
        "new" if rest.starts_with("file mode") => file.kind = ChangeKind::New,
        "deleted" => file.kind = ChangeKind::Deleted,
        "old" => *old_mode = rest.strip_prefix("mode ").map(str::to_owned),
        "new" => {
            let old = old_mode.take().unwrap_or_default();
            let new = rest.strip_prefix("mode ").unwrap_or(rest);
            file.kind = ChangeKind::Mode(format!("mode {old} to {new}"));
        }
        "rename" | "copy" => match (rest.strip_prefix("from "), rest.strip_prefix("to ")) {
            (Some(old), _) if word == "rename" => file.kind = ChangeKind::Renamed(unquoted(old)),
            (Some(old), _) => file.kind = ChangeKind::Copied(unquoted(old)),
            (None, Some(new)) => file.path = unquoted(new),
            (None, None) => return false,
        },
        "Binary" => file.binary = true,
        _ => return false,
    }
    true
}
