//! What is wrong with the form of a YAML file, in words that do not need the grammar of YAML.
//!
//! The one rule: a message says what was found and what was expected instead.

use granit_parser::ErrorKind;

/// A mistake in the form of a file, in words.
#[expect(clippy::wildcard_enum_match_arm, reason = "the parser may know further kinds in later versions")]
pub(super) fn in_words(kind: &ErrorKind) -> String {
    let words = match kind {
        ErrorKind::UnclosedFlowCollection { open } => return unclosed(*open),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            return format!("found `{close}` where `{}` was expected, to close `{open}`", closing(*open));
        }
        ErrorKind::UnexpectedCharacter { character } => return unexpected(*character),
        ErrorKind::UnexpectedEofFlowSequence => "the file ends inside a list that `[` opened; expected `]`",
        ErrorKind::UnexpectedEofFlowMapping | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            "the file ends inside a map that `{` opened; expected `}`"
        }
        ErrorKind::UnexpectedEofBlockSequence
        | ErrorKind::UnexpectedEofBlockMapping
        | ErrorKind::UnexpectedEof
        | ErrorKind::UnexpectedEndOfPlainScalar => "the file ends where a value was expected",
        ErrorKind::ExpectedFlowSequenceSeparator => "expected `,` or `]` after this element of the list",
        ErrorKind::ExpectedFlowMappingSeparator => "expected `,` or `}` after this field",
        ErrorKind::MisplacedFlowCollectionEnd => "this bracket closes nothing; remove it, or put the text in quotes",
        ErrorKind::ExpectedBlockMappingKey => {
            "expected a field, as in `name: value`, with the indentation of those above"
        }
        ErrorKind::ExpectedBlockSequenceEntry => {
            "expected `- ` for another element of the list, or a line that is indented like one above the list"
        }
        ErrorKind::BlockSequenceEntryNotAllowed => {
            "found `- ` where no element of a list can begin; begin the list on a line of its own"
        }
        ErrorKind::BlockEntryInFlowCollection => "found `- ` inside `[` or `{`; separate the elements with `,`",
        ErrorKind::InvalidBlockEntryWhitespace => "expected a space after `-`",
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            "expected `:` after the name of a field; write `name: value`, or indent the line if it belongs to the text above"
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::MappingKeyNotAllowed | ErrorKind::InvalidColonPlacement => {
            "found `: ` where no field can begin; put a text that contains `: ` in quotes, or check the indentation"
        }
        ErrorKind::FlowMappingValueAdjacentCollection | ErrorKind::InvalidMappingValueWhitespace => {
            "expected a space after `:`"
        }
        ErrorKind::InvalidQuotedScalarIndent => {
            "a quoted text from above continues on this line; expected its closing quote before, or indentation here"
        }
        ErrorKind::InvalidIndentation | ErrorKind::InvalidFlowScalarIndent | ErrorKind::InvalidBlockScalarIndent => {
            "the indentation of this line fits none of the lines above; indent it as those it belongs to"
        }
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => "found a tab in the indentation; YAML is indented with spaces",
        ErrorKind::UnclosedQuotedScalar => "this quote is not closed; expected the same quote at the end of the text",
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            "found text after a closing quote; put all of it in quotes, and write a quote inside as `''` or `\\\"`"
        }
        ErrorKind::UnknownQuotedScalarEscape
        | ErrorKind::InvalidQuotedScalarHexEscape
        | ErrorKind::InvalidLowSurrogateHexEscape
        | ErrorKind::InvalidLowSurrogate
        | ErrorKind::MissingLowSurrogate
        | ErrorKind::UnpairedLowSurrogate
        | ErrorKind::InvalidUnicodeEscape => {
            "found an unknown escape after `\\`; in double quotes write `\\\\` for a backslash, or use single quotes"
        }
        ErrorKind::DocumentIndicatorInQuotedScalar => {
            "found `---` or `...` inside a quoted text; the quote is not closed"
        }
        ErrorKind::ZeroBlockScalarIndent | ErrorKind::InvalidBlockScalarHeader => {
            "expected the end of the line after `|` or `>`; the text begins on the next line"
        }
        ErrorKind::ExpectedNodeContent => "expected a value here",
        ErrorKind::PlainScalarStartsWithDashFlowIndicator => {
            "found `-` before a bracket or comma; put the text in quotes"
        }
        ErrorKind::CommentInterceptedScalar => "found a comment inside a text of several lines; put the text in quotes",
        ErrorKind::CommentNotSeparated => "expected a space before `#`",
        ErrorKind::ExpectedWhitespace => "expected a space here",
        ErrorKind::UnknownAnchor => {
            "nothing in this file has the name behind `*`; a text that begins with `*` needs quotes"
        }
        ErrorKind::MissingAnchorOrAliasName => {
            "expected a name after `&` or `*`; a text that begins with one needs quotes"
        }
        ErrorKind::BomInsideDocument => "found a byte order mark in the middle of the file; remove it",
        ErrorKind::InvalidDocumentEnd
        | ErrorKind::ExpectedDocumentStart
        | ErrorKind::MissingDocumentEndBeforeDirective => "expected the end of the file or `---` here",
        ErrorKind::RecursionLimitExceeded => "nested too deeply",
        ErrorKind::Custom(message) => return format!("not valid YAML: {message}"),
        // Tags and directives, which workflow files have no use for, and kinds of later versions.
        _ => {
            "found a tag or directive of YAML that means nothing here; a text that begins with `!` or `%` needs quotes"
        }
    };
    words.to_owned()
}

fn unclosed(open: char) -> String {
    format!("this `{open}` is not closed; expected `{}`", closing(open))
}

const fn closing(open: char) -> char {
    match open {
        '[' => ']',
        '{' => '}',
        other => other,
    }
}

/// Some characters begin no text without quotes.
fn unexpected(character: char) -> String {
    match character {
        '\t' => "found a tab; YAML is indented with spaces".to_owned(),
        '`' => "no text begins with a backtick; put the text in quotes".to_owned(),
        character => {
            format!("no text begins with `{}`; put the text in quotes", character.escape_debug())
        }
    }
}
