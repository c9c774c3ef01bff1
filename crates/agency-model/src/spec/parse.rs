//! Reads a spec file and says exactly where it is wrong.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::SpecDraft;
use crate::nearest;

/// A spec is small; anything larger is a mistake, such as a log file given by accident.
pub const MAX_SPEC_BYTES: u64 = 1024 * 1024;

/// Why a spec cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The file is too large to be a spec.
    #[error("it is {bytes} bytes; a run spec has at most {MAX_SPEC_BYTES}")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// The file is not text.
    #[error("it is not UTF-8: the byte at offset {offset} starts no character")]
    NotUtf8 {
        /// Where.
        offset: usize,
    },
    /// A field has the wrong shape.
    #[error("line {line}, column {column}: {}{expected}{}", at_field(.field), did_you_mean(.suggestion.as_ref()))]
    Wrong {
        /// The dotted path of the field; empty for the whole object.
        field: String,
        /// What was expected and found.
        expected: String,
        /// Where, from 1.
        line: usize,
        /// Where, from 1.
        column: usize,
        /// The name that was probably meant.
        suggestion: Option<String>,
    },
    /// A required field is missing.
    #[error("{}`{field}` is missing: expected {}", at_position(*.line, *.column), expected_of(.field))]
    Missing {
        /// The dotted path of the field.
        field: &'static str,
        /// The end of the object that lacks it, from 1; 0 where there is no file.
        line: usize,
        /// Its column; 0 where there is no file.
        column: usize,
    },
}

fn at_field(field: &str) -> String {
    if field.is_empty() || field == "." || field == "?" {
        String::new()
    } else {
        format!("`{field}`: ")
    }
}

fn did_you_mean(suggestion: Option<&String>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

fn at_position(line: usize, column: usize) -> String {
    if line == 0 {
        String::new()
    } else {
        format!("line {line}, column {column}: ")
    }
}

fn expected_of(field: &str) -> &'static str {
    match field {
        "repo" => "a string, the absolute path of a git repository",
        "base_ref" => "a string, the git ref to branch from, such as \"main\"",
        "runner.kind" => "a string, the name of an agent, such as \"claude_code\"",
        "prompt.path" => "a string, the path of a markdown file in the repository",
        _ => "a value",
    }
}

impl SpecDraft {
    /// Reads a spec file.
    pub fn parse(bytes: &[u8]) -> Result<Self, SpecError> {
        let size = bytes.len() as u64;
        if size > MAX_SPEC_BYTES {
            return Err(SpecError::TooLarge { bytes: size });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| SpecError::NotUtf8 {
            offset: error.valid_up_to(),
        })?;
        // serde would take an array for a struct, field by field.
        if !text.trim_start().starts_with('{') {
            let (line, column) = position(text, text.len() - text.trim_start().len());
            let expected = "expected an object, such as {\"repo\": …}".to_owned();
            return Err(SpecError::Wrong {
                field: String::new(),
                expected,
                line,
                column,
                suggestion: None,
            });
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let draft = serde_path_to_error::deserialize(&mut reader).map_err(|error| wrong(&error))?;
        reader.end().map_err(|error| SpecError::Wrong {
            field: String::new(),
            expected: "expected the end of the file after the object".to_owned(),
            line: error.line(),
            column: error.column(),
            suggestion: None,
        })?;
        Ok(draft)
    }
}

impl SpecError {
    /// Adds the place in `text` where a missing field belongs.
    #[must_use]
    pub fn located_in(self, text: &str) -> Self {
        match self {
            Self::Missing { field, .. } => {
                let (line, column) = position(text, end_of_object(text, field));
                Self::Missing { field, line, column }
            }
            Self::TooLarge { .. } | Self::NotUtf8 { .. } | Self::Wrong { .. } => self,
        }
    }

    /// The dotted path of the field that is wrong, if it is about one.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Wrong { field, .. } => Some(field),
            Self::Missing { field, .. } => Some(field),
            Self::TooLarge { .. } | Self::NotUtf8 { .. } => None,
        }
    }

    /// Line and column of the problem, where the spec has them.
    #[must_use]
    pub fn position(&self) -> Option<(usize, usize)> {
        match self {
            Self::Wrong { line, column, .. } | Self::Missing { line, column, .. } if *line > 0 => {
                Some((*line, *column))
            }
            Self::Wrong { .. } | Self::Missing { .. } | Self::TooLarge { .. } | Self::NotUtf8 { .. } => None,
        }
    }
}

fn wrong(error: &serde_path_to_error::Error<serde_json::Error>) -> SpecError {
    let inner = error.inner();
    let whole = inner.to_string();
    // serde_json ends its message with the position, which the caller gets as numbers.
    let message = whole
        .rsplit_once(" at line ")
        .map_or(whole.as_str(), |(message, _)| message);
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let suggestion = match quoted.split_first() {
        Some((unknown, known)) if message.starts_with("unknown ") => nearest(unknown, known.iter().copied()),
        Some(_) | None => None,
    };
    SpecError::Wrong {
        field: error.path().to_string(),
        expected: message.to_owned(),
        line: inner.line(),
        column: inner.column(),
        suggestion: suggestion.map(str::to_owned),
    }
}

/// The offset of the brace that closes the object in which `field` belongs.
fn end_of_object(text: &str, field: &str) -> usize {
    let whole = text.trim_end().len().saturating_sub(1);
    let Some((parent, _)) = field.split_once('.') else {
        return whole;
    };
    let fields: HashMap<String, &RawValue> = serde_json::from_str(text).unwrap_or_default();
    fields.get(parent).map_or(whole, |raw| {
        let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
        start + raw.get().len() - 1
    })
}

fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Defaults, InputMode, PromptDraft, RunSpec};
    use crate::{Host, Mode};

    const WHOLE: &str = r#"{
  "repo": "/repo", "base_ref": "main",
  "runner": {"kind": "claude-code", "args": ["--fast"]},
  "prompt": {"path": "task.md"},
  "inputs": [{"path": "a.txt", "mode": "read"}],
  "limits": {"max_minutes": 5}, "name": "label", "new_branch": "topic",
  "commands": {"test": "make"}, "artifacts_out": [1], "patch_policy": "x",
  "approval_policy": {"default": "ask"}, "context_pack": null
}"#;

    fn defaults() -> Defaults {
        Defaults {
            repo: None,
            base_ref: None,
            runner: None,
            host: Host::Tmux,
            max_minutes: Some(9),
        }
    }

    fn materialise(text: &str) -> Result<RunSpec, SpecError> {
        SpecDraft::parse(text.as_bytes())?
            .materialise(defaults())
            .map_err(|error| error.located_in(text))
    }

    // proves L2
    #[test]
    fn every_field_of_version_1_is_read_and_reserved_ones_are_kept() {
        let spec = materialise(WHOLE).unwrap();
        assert_eq!(spec.runner.kind, "claude_code");
        assert_eq!(spec.runner.args, ["--fast"]);
        assert_eq!(spec.inputs[0].mode, InputMode::Read);
        assert_eq!(spec.limits.max_minutes, Some(5));
        assert_eq!(spec.reserved.approval_policy.as_ref().unwrap()["default"], "ask");
        assert_eq!((spec.mode, spec.host), (Mode::Interactive, Host::Tmux));
        let stored = serde_json::to_value(&spec).unwrap();
        assert_eq!(stored["commands"]["test"], "make");
        assert_eq!(stored["patch_policy"], "x");
    }

    // proves L2
    #[test]
    fn each_mistake_names_the_field_what_was_expected_and_the_place() {
        let cases = [
            (
                "{\n \"repo\": 5\n}",
                "line 2, column 10: `repo`: invalid type: integer `5`, expected a string",
            ),
            ("{\"repo\": \"/r\",}", "line 1, column 15: trailing comma"),
            ("\n []", "line 2, column 2: expected an object, such as {\"repo\": …}"),
            ("{}x", "line 1, column 3: expected the end of the file after the object"),
            (
                "{\"repo\":\"a\",\"repo\":\"b\"}",
                "line 1, column 18: duplicate field `repo`",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(SpecDraft::parse(text.as_bytes()).unwrap_err().to_string(), message);
        }
        let mode = SpecDraft::parse(br#"{"inputs":[{"path":"a","mode":"write"}]}"#)
            .unwrap_err()
            .to_string();
        assert!(
            mode.starts_with("line 1, column 37: `inputs[0].mode`: unknown variant `write`, expected `read`"),
            "{mode}"
        );
        let slip = SpecDraft::parse(br#"{"runer":{"kind":"codex"}}"#)
            .unwrap_err()
            .to_string();
        assert!(slip.ends_with("did you mean `runner`?"), "{slip}");
    }

    // proves L2
    #[test]
    fn a_missing_field_is_placed_at_the_end_of_its_object() {
        let text = "{\n \"repo\": \"/r\", \"base_ref\": \"main\",\n \"runner\": {\n  \"args\": []\n }\n}\n";
        let error = materialise(text).unwrap_err();
        assert_eq!(error.position(), Some((5, 2)));
        assert_eq!(error.field(), Some("runner.kind"));
        let error = materialise("{\n}").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2, column 1: `repo` is missing: expected a string, the absolute path of a git repository"
        );
    }

    #[test]
    fn a_file_that_is_too_large_or_no_text_is_refused() {
        assert!(matches!(
            SpecDraft::parse(&vec![b' '; 2_000_000]),
            Err(SpecError::TooLarge { bytes: 2_000_000 })
        ));
        assert_eq!(
            SpecDraft::parse(b"{\"repo\": \"\xff\"}"),
            Err(SpecError::NotUtf8 { offset: 10 })
        );
    }

    // proves L3
    #[test]
    fn flags_win_over_the_file_and_defaults_come_last() {
        let flags = SpecDraft {
            base_ref: Some("topic".into()),
            prompt: Some(PromptDraft {
                path: Some("other.md".into()),
            }),
            inputs: SpecDraft::parse(br#"{"inputs":[{"path":"b.txt","mode":"read"}]}"#)
                .unwrap()
                .inputs,
            ..SpecDraft::default()
        };
        let file = SpecDraft::parse(WHOLE.as_bytes()).unwrap();
        let spec = file.overridden_by(flags).materialise(defaults()).unwrap();
        assert_eq!((spec.base_ref.as_str(), spec.repo.as_str()), ("topic", "/repo"));
        assert_eq!(spec.prompt.path, "other.md");
        assert_eq!(
            spec.inputs.iter().map(|input| input.path.as_str()).collect::<Vec<_>>(),
            ["a.txt", "b.txt"]
        );
        assert_eq!(spec.limits.max_minutes, Some(5));
    }
}
