//! Reads a spec file and says exactly where it is wrong.

use super::SpecDraft;
use crate::document::{Format, Mistake, Mistakes, Node, Reason, Source, decode, read_json};
use crate::policy::with_missing_action;

/// A spec is small; anything larger is a mistake, such as a log file given by accident.
pub const MAX_SPEC_BYTES: u64 = 1024 * 1024;

impl SpecDraft {
    /// Reads a spec file; `file` is its name in mistakes.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, Mistakes> {
        let source = source_of(file, bytes)?;
        let root = root_of(&source)?;
        let draft: Self = decode(&root, &source).map_err(|found| Mistakes::from(found).map(expected))?;
        let servers = draft.mcp_servers.iter().flatten();
        let wrong: Vec<Mistake> = servers
            .filter_map(|(name, server)| {
                let wrong = server.transport(name).err()?;
                let at = root.nearest_entry(&["mcp_servers", name]).map_or(root.at, |(key, _)| key.at);
                Some(source.placed(wrong, at))
            })
            .collect();
        if wrong.is_empty() { Ok(draft) } else { Err(wrong.into()) }
    }

    /// Adds the end of the object in which a missing field belongs, where the file can be read.
    #[must_use]
    pub fn located(missing: Mistake, file: &str, bytes: &[u8]) -> Mistakes {
        let Ok(source) = source_of(file, bytes) else { return missing.into() };
        let Ok(root) = root_of(&source) else { return missing.into() };
        let parent = missing.field.split_once('.').and_then(|(parent, _)| root.entry(parent));
        let object = parent
            .map_or(&root, |(_, node)| if node.entries().is_empty() && node.at == node.end { &root } else { node });
        source.placed(missing, object.end).into()
    }

    /// A spec file of this size is refused.
    #[must_use]
    pub fn too_large(file: &str, bytes: u64) -> Mistakes {
        Mistake::of_file(file, format!("it is {bytes} bytes; a run spec has at most {MAX_SPEC_BYTES}")).into()
    }
}

fn source_of<'bytes>(file: &str, bytes: &'bytes [u8]) -> Result<Source<'bytes>, Mistakes> {
    let size = bytes.len() as u64;
    if size > MAX_SPEC_BYTES {
        return Err(SpecDraft::too_large(file, size));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let before = String::from_utf8_lossy(bytes.get(..offset).unwrap_or_default());
        let source = Source::new(file, &before, Format::Json);
        let message = format!("it is not UTF-8: the byte at offset {offset} starts no character");
        source.mistake(source.position(offset), message).because(Reason::Syntax)
    })?;
    Ok(Source::new(file, text, Format::Json))
}

fn root_of(source: &Source<'_>) -> Result<Node, Mistakes> {
    // What begins otherwise may not be JSON at all; the first thing to know is what belongs here.
    let text = source.text();
    let at = source.position(text.len() - text.trim_start().len());
    let no_object = || source.mistake(at, "expected an object, such as {\"repo\": …}");
    if !text.trim_start().starts_with('{') {
        return Err(no_object().into());
    }
    match read_json(source) {
        (Some(root), mistakes) if mistakes.is_empty() => Ok(root),
        (_, mistakes) if mistakes.is_empty() => Err(no_object().into()),
        (_, mistakes) => Err(mistakes.into()),
    }
}

/// A required field is missing, in the file and in the options.
pub(super) fn missing(field: &str) -> Mistake {
    expected(Mistake::new(Reason::Missing, "missing").about(field))
}

/// Says what belongs into a field that is missing.
fn expected(mistake: Mistake) -> Mistake {
    if mistake.reason != Reason::Missing {
        return mistake;
    }
    let expected = match mistake.field.as_str() {
        "repo" => "a string, the absolute path of a git repository",
        "base_ref" => "a string, the git ref to branch from, such as \"main\"",
        "runner.kind" => "a string, the name of an agent, such as \"claude_code\"",
        "prompt.path" => "a string, the path of a markdown file in the repository",
        input if input.starts_with("inputs[") && input.ends_with(".path") => {
            "a string, the path of a file in the repository"
        }
        input if input.starts_with("inputs[") && input.ends_with(".mode") => "\"read\"",
        _ => return with_missing_action(mistake),
    };
    Mistake { message: format!("missing, expected {expected}"), ..mistake }
}

#[cfg(test)]
mod tests;
