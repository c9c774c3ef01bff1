//! Spec files that cannot be used: each mistake is named with its field, what was expected, and its place.

use std::fs::{self, File};

use agency_model::ErrorCode;
use agency_testkit::{Repo, World};

use super::refusal::{hints, refused, says, world};

/// Writes a spec file and returns its path.
fn spec(world: &World, content: impl AsRef<[u8]>) -> String {
    let file = world.root().join("spec.json");
    fs::write(&file, content).unwrap();
    file.to_str().unwrap().to_owned()
}

/// The spec is refused, and the error says where.
#[track_caller]
fn wrong(place: &(World, Repo), content: impl AsRef<[u8]>, field: Option<&str>, at: (u64, u64), words: &[&str]) {
    let (world, repo) = place;
    let file = spec(world, content);
    let error = refused(world, repo, &["run", "--spec", &file], ErrorCode::InvalidSpec);
    let (line, column) = at;
    says(&error, &[&format!("{file}:{line}:{column}: ")]);
    says(&error, words);
    hints(&error, "agency schema run-spec");
    let details = &error["details"];
    assert_eq!(details["file"], file, "{error:#}");
    assert_eq!((&details["line"], &details["column"]), (&line.into(), &column.into()), "{error:#}");
    assert_eq!(details["field"].as_str(), field, "{error:#}");
}

// proves L2
#[test]
fn a_missing_file_and_a_directory_are_refused() {
    let (world, repo) = world();
    let error = refused(&world, &repo, &["run", "--spec", "/nowhere.json"], ErrorCode::InvalidPath);
    says(&error, &["the spec file", "/nowhere.json", "No such file"]);
    hints(&error, "--spec");
    let directory = world.root().to_str().unwrap();
    let error = refused(&world, &repo, &["run", "--spec", directory], ErrorCode::InputNotFile);
    says(&error, &["the spec file", directory, "directory"]);
    hints(&error, "--spec");
}

// proves L2
#[test]
fn a_file_of_fifty_megabytes_is_refused_without_being_read() {
    let (world, repo) = world();
    let file = world.root().join("huge.json");
    // A file with a hole has the size, and takes no time to write.
    File::create(&file).unwrap().set_len(50_000_000).unwrap();
    let error = refused(&world, &repo, &["run", "--spec", file.to_str().unwrap()], ErrorCode::InvalidSpec);
    says(&error, &["huge.json", "50000000 bytes", "at most 1048576"]);
}

// proves L2
#[test]
fn a_device_without_an_end_is_refused() {
    let (world, repo) = world();
    let error = refused(&world, &repo, &["run", "--spec", "/dev/zero"], ErrorCode::InvalidSpec);
    says(&error, &["/dev/zero", "at most 1048576"]);
}

// proves L2
#[test]
fn a_file_that_is_no_text_is_refused() {
    let content = b"{\n  \"repo\": \"\xff\"}";
    wrong(&world(), content, None, (2, 12), &["not UTF-8", "offset 13"]);
}

// proves L2
#[test]
fn what_is_no_json_object_is_refused() {
    let place = world();
    for content in ["", "hello", "[]", "\"text\"", "null"] {
        wrong(&place, content, None, (1, 1), &["expected an object"]);
    }
    wrong(&place, "\n\n  []", None, (3, 3), &["expected an object"]);
    wrong(&place, "{", None, (1, 1), &["EOF"]);
    wrong(&place, "{\"repo\": \"/r\",}", None, (1, 15), &["trailing comma"]);
    wrong(&place, "{} {}", None, (1, 4), &["expected the end of the file"]);
}

// proves L2
#[test]
fn a_key_that_is_there_twice_is_refused() {
    let place = world();
    wrong(&place, "{\"repo\": \"/a\",\n \"repo\": \"/b\"}", Some("repo"), (2, 2), &["`repo`: duplicate key"]);
    let nested = "{\"runner\": {\"kind\": \"a\",\n\"kind\": \"b\"}}";
    wrong(&place, nested, Some("runner.kind"), (2, 1), &["`runner.kind`: duplicate key"]);
}

// proves L2
#[test]
fn an_unknown_field_is_answered_with_the_nearest_one() {
    let place = world();
    wrong(&place, "{\"base_reff\": \"main\"}", Some("base_reff"), (1, 2), &["did you mean `base_ref`?"]);
    wrong(&place, "{\"runner\": {\"knid\": \"codex\"}}", Some("runner.knid"), (1, 13), &["did you mean `kind`?"]);
    wrong(
        &place,
        "{\"limits\": {\"minutes\": 5}}",
        Some("limits.minutes"),
        (1, 13),
        &["expected one of `max_minutes`, `no_progress_minutes`"],
    );
    wrong(&place, "{\"zzzzzz\": 1}", Some("zzzzzz"), (1, 2), &["expected one of `repo`, `base_ref`"]);
}

// proves L2
#[test]
fn a_wrong_type_is_answered_with_the_right_one() {
    let place = world();
    let cases = [
        ("{\"repo\": 5}", "repo", 10, "expected a string, found the number 5"),
        ("{\"runner\": \"codex\"}", "runner", 12, "expected an object, such as {\"kind\""),
        ("{\"prompt\": \"a.md\"}", "prompt", 12, "expected an object, such as {\"path\""),
        ("{\"inputs\": \"a.md\"}", "inputs", 12, "expected an array"),
        ("{\"inputs\": [\"a.md\"]}", "inputs[0]", 13, "expected an object, such as {\"path\""),
        ("{\"runner\": {\"args\": [1]}}", "runner.args[0]", 22, "expected a string"),
        ("{\"limits\": {\"max_minutes\": -1}}", "limits.max_minutes", 28, "expected a whole number"),
        ("{\"limits\": {\"max_minutes\": 1.5}}", "limits.max_minutes", 28, "expected a whole number"),
        ("{\"host\": \"screen\"}", "host", 10, "expected `tmux` or `detached`"),
    ];
    for (content, field, column, words) in cases {
        wrong(&place, content, Some(field), (1, column), &[words]);
    }
}

// proves L2
#[test]
fn all_mistakes_of_a_spec_are_told_at_once() {
    let (world, repo) = world();
    let file = spec(&world, "{\"repo\": 5,\n \"runer\": {},\n \"mcp_servers\": {\"x\": {\"args\": \"s3cret\"}}}");
    let error = refused(&world, &repo, &["run", "--spec", &file], ErrorCode::InvalidSpec);
    says(&error, &[&format!("{file}:1:10: `repo`"), &format!("{file}:2:2: `runer`"), "`mcp_servers.x.args`"]);
    let mistakes = error["details"]["mistakes"].as_array().unwrap();
    let keys: Vec<&str> = mistakes.iter().map(|mistake| mistake["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["repo", "runer", "mcp_servers.x.args"]);
    assert_eq!(error["details"]["field"], "repo");
}

// proves L2
#[test]
fn an_unknown_mode_of_an_input_is_refused() {
    let place = world();
    let content = "{\"inputs\": [\n  {\"path\": \"a\", \"mode\": \"write\"}]}";
    wrong(&place, content, Some("inputs[0].mode"), (2, 25), &["`write`, expected `read`"]);
    let content = "{\"inputs\": [\n  {\"path\": \"a\"}]}";
    wrong(&place, content, Some("inputs[0].mode"), (2, 15), &["missing, expected \"read\""]);
    let content = "{\"inputs\": [\n  {\"mode\": \"read\"}]}";
    wrong(&place, content, Some("inputs[0].path"), (2, 18), &["missing, expected a string"]);
}

// proves L2
#[test]
fn a_missing_field_is_named_with_the_end_of_its_object() {
    let place = world();
    let rest = [
        ("repo", "\"base_ref\": \"main\", \"runner\": {\"kind\": \"quiet\"}, \"prompt\": {\"path\": \"README.md\"}"),
        ("base_ref", "\"repo\": \"/r\", \"runner\": {\"kind\": \"quiet\"}, \"prompt\": {\"path\": \"README.md\"}"),
        ("runner.kind", "\"repo\": \"/r\", \"base_ref\": \"main\", \"prompt\": {\"path\": \"README.md\"}"),
        ("prompt.path", "\"repo\": \"/r\", \"base_ref\": \"main\", \"runner\": {\"kind\": \"quiet\"}"),
    ];
    for (field, others) in rest {
        let missing = format!("`{field}`: missing, expected a string");
        wrong(&place, format!("{{\n{others}\n}}\n"), Some(field), (3, 1), &[&missing]);
    }
    let nested = "{\"repo\": \"/r\", \"base_ref\": \"main\", \"runner\": {\n\"args\": []\n}}";
    wrong(&place, nested, Some("runner.kind"), (3, 1), &["such as \"claude_code\""]);
}

// proves L2
#[test]
fn a_null_is_a_missing_field() {
    let place = world();
    wrong(&place, "{\"repo\": null}", Some("repo"), (1, 14), &["`repo`: missing"]);
}
