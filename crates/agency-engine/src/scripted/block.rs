//! Finds the directives among the other text of a prompt: they stand in fenced code blocks tagged `agency`.

/// The tag of the code blocks that hold directives.
const TAG: &str = "agency";

/// The lines of a prompt, counted from one.
pub(super) fn numbered(prompt: &str) -> impl Iterator<Item = (usize, &str)> {
    prompt.lines().enumerate().map(|(index, text)| (index + 1, text))
}

/// The lines inside the tagged blocks that are neither blank nor comments; `None` when there is no such block.
pub(super) fn directive_lines(prompt: &str) -> Option<Vec<(usize, &str)>> {
    let mut found: Option<Vec<_>> = None;
    let mut open: Option<Fence<'_>> = None;
    for (line, text) in numbered(prompt) {
        match (&open, Fence::read(text)) {
            (Some(opening), Some(fence)) if fence.closes(opening) => open = None,
            (Some(opening), _) if opening.tag == TAG => {
                let text = text.trim();
                if !text.is_empty() && !text.starts_with('#') {
                    found.get_or_insert_default().push((line, text));
                }
            }
            (None, Some(fence)) => {
                if fence.tag == TAG {
                    found.get_or_insert_default();
                }
                open = Some(fence);
            }
            (Some(_) | None, _) => {}
        }
    }
    found
}

/// A line that opens or closes a code block.
struct Fence<'a> {
    mark: char,
    length: usize,
    tag: &'a str,
}

impl<'a> Fence<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = text.trim_start_matches(mark);
        let length = text.len() - rest.len();
        // A line such as ```code``` is code inside a text, not a fence.
        if length < 3 || (mark == '`' && rest.contains('`')) {
            return None;
        }
        Some(Self { mark, length, tag: rest.split_whitespace().next().unwrap_or_default() })
    }

    fn closes(&self, opening: &Self) -> bool {
        self.tag.is_empty() && self.mark == opening.mark && self.length >= opening.length
    }
}

#[cfg(test)]
mod tests {
    use super::directive_lines;

    #[test]
    fn only_tagged_blocks_count_and_all_of_them_do() {
        let prompt = "```sh\nno\n```\n````markdown\n```agency\nquoted\n```\n````\n\
                      ~~~ agency\none\n\n# comment\n~~~\nbetween\n```agency extra\n  two  ";
        assert_eq!(directive_lines(prompt), Some(vec![(10, "one"), (16, "two")]));
    }

    #[test]
    fn an_empty_block_is_not_the_same_as_none() {
        assert_eq!(directive_lines("```agency\n```\ntext"), Some(Vec::new()));
        assert_eq!(directive_lines("```agency``` is a tag"), None);
    }
}
