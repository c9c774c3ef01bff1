//! Markdown as these tests need it: files, fenced blocks, tables, headings. And the source files that it speaks of.

use std::fs;
use std::path::{Path, PathBuf};

/// The top of the source tree.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The text of a file, by its path below the top of the source tree.
#[track_caller]
pub(super) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every page of the documentation: those at the top and all below `docs`.
pub(super) fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = children(&root()).into_iter().filter(|path| path.is_file()).collect();
    pages.extend(below(&root().join("docs")));
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

/// Every Rust file below a directory.
pub(super) fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut sources = below(directory);
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    sources
}

fn below(directory: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for path in children(&directory) {
            if path.is_dir() {
                directories.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The fenced blocks whose opening line says exactly `info`.
pub(super) fn blocks(text: &str, info: &str) -> Vec<String> {
    let opening = format!("```{info}");
    let mut blocks = vec![];
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == opening {
            let block = lines.by_ref().take_while(|line| *line != "```");
            blocks.push(block.map(|line| format!("{line}\n")).collect());
        } else if line.starts_with("```") {
            lines.by_ref().find(|line| *line == "```");
        }
    }
    blocks
}

/// A text without its fenced blocks.
pub(super) fn prose(text: &str) -> String {
    let mut inside = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if !inside {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

/// The part of a page below a heading of the second level; panics when there is none.
#[track_caller]
pub(super) fn section(text: &str, heading: &str) -> String {
    let opening = format!("## {heading}");
    assert!(text.lines().any(|line| line == opening), "there is no `{opening}`");
    let below = text.lines().skip_while(|line| *line != opening).skip(1);
    let lines = below.take_while(|line| !line.starts_with("## "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The part of a page above a heading of the second level; panics when there is none.
#[track_caller]
pub(super) fn section_before(text: &str, heading: &str) -> String {
    let opening = format!("\n## {heading}\n");
    let (before, _) = text.split_once(&opening).unwrap_or_else(|| panic!("there is no heading {heading}"));
    before.to_owned()
}

/// What stands between backticks.
pub(super) fn code_words(text: &str) -> Vec<String> {
    let text = prose(text);
    let lines = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    lines.map(str::to_owned).collect()
}

/// The cells of every row of every table, without heads.
pub(super) fn rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![];
    for line in prose(text).lines() {
        match line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) {
            // The line below the head: the row before it was the head.
            Some(cells) if cells.starts_with("---") => drop(rows.pop()),
            Some(cells) => rows.push(cells.split(" | ").map(|cell| cell.trim().to_owned()).collect()),
            None => {}
        }
    }
    rows
}

/// The names that a link can have after `#`, one for each heading.
pub(super) fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
            kept.collect::<String>().replace(' ', "-")
        })
        .collect()
}
