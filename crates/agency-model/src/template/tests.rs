//! What comes out of templates, and what is said of those that are wrong.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn context(values: &Value) -> TemplateValues {
    TemplateValues::new(values.as_object().unwrap())
}

fn values() -> Value {
    json!({
        "task": { "title": "Fix login", "labels": ["bug", "auth"], "priority": 2, "owner": null },
        "run_tests": { "success": false, "output": "1 failed\n2 passed", "outputs": { "count": 3 } },
        "run-tests": { "success": false, "outputs": { "count": 3 } },
        "goal": "Ship",
        "empty": "",
    })
}

fn book(spells: &[(&str, &str)]) -> Arc<Spellbook> {
    let mut book = Spellbook::default();
    for (name, text) in spells {
        book.add(name, Spell { file: format!("{name}.md"), text: (*text).to_owned() });
    }
    Arc::new(book)
}

fn rendered(source: &str) -> Result<String, Mistake> {
    Template::parse("t.md", source)?.render(&context(&values()), &book(&[]))
}

fn told(source: &str) -> String {
    rendered(source).expect_err(source).to_string()
}

// proves W6
#[test]
fn bead_context_in_spell() {
    assert_eq!(rendered("Do: {{.task.title}}").unwrap(), "Do: Fix login");
}

#[test]
fn go_syntax_and_the_functions_beside_it() {
    for (source, expected) in [
        ("{{upper .task.title}} {{.task.title | lower}} {{trim \"  x \"}}", "FIX LOGIN fix login x"),
        ("{{quote .task.title}} {{quote \"a\\\"b\"}}", "\"Fix login\" \"a\\\"b\""),
        ("{{indent 2 .run_tests.output}}", "  1 failed\n  2 passed"),
        ("{{join \", \" .task.labels}}", "bug, auth"),
        ("{{default \"none\" .empty}} {{.task.title | default \"none\"}}", "none Fix login"),
        (
            "{{.task.nobody | default \"none\"}} {{default \"x\" .nothing.at.all}} {{$.no.where | default 5}}",
            "none x 5",
        ),
        ("{{with .task}}{{.who | default \"nobody\"}}{{end}}", "nobody"),
        ("{{.run_tests.success | default true}} {{.task.priority | default 9}}", "false 2"),
        ("[{{.task.owner}}]", "[]"),
        ("{{range $i, $l := .task.labels}}{{$i}}={{$l}} {{else}}none{{end}}", "0=bug 1=auth "),
        ("{{if eq .task.priority 2}}two{{else if .empty}}e{{end}}{{- /* gone */ -}}  !", "two!"),
        ("{{index . \"run-tests\" \"outputs\" \"count\"}} {{.run_tests.outputs.count}}", "3 3"),
        ("{{define \"x\"}}<{{.title}}>{{end}}{{template \"x\" .task}}", "<Fix login>"),
        ("{{printf \"%03d %s\" .task.priority .goal}}", "002 Ship"),
        ("a {{\"{{\"}} b", "a {{ b"),
        ("", ""),
    ] {
        assert_eq!(rendered(source).as_deref(), Ok(expected), "{source}");
    }
}

#[test]
fn a_missing_key_names_the_key_the_file_and_the_line() {
    assert_eq!(
        told("one\ntwo {{.task.titel}}"),
        "t.md:2:7: there is no `titel` in `{{.task.titel}}`; did you mean `title`?"
    );
    let error = rendered("{{.task.titel}}").unwrap_err();
    assert_eq!(error.nearest.as_deref(), Some("title"));
    assert_eq!(
        told("{{.goal}}\n{{.task.title}}\n{{.gaol}}\n{{.x}}"),
        "t.md:3:3: there is no `gaol` in `{{.gaol}}`; did you mean `goal`?"
    );
    assert_eq!(told("{{if .task}}\n  {{.nope}}{{end}}"), "t.md:2:5: there is no `nope` in `{{.nope}}`");
    assert_eq!(told("{{with .task}}\n{{.nope}}{{end}}"), "t.md:2:3: there is no `nope` in `{{.task.nope}}`");
    assert_eq!(told("a\n{{range .task.labels}}{{$.nope}}{{end}}"), "t.md:2:25: there is no `nope` in `{{.nope}}`");
}

#[test]
fn syntax_that_go_refuses_is_refused() {
    insta::assert_snapshot!(
        [
            "{{if .goal}}x", "a\n{{with .task}}{{if .x}}{{end}}", "{{range .x}}{{else}}y", "x{{end}}y", "a\nb {{ else }}c",
            "{{define \"x\"}}y", "{{.goal", "{{/* open", "{{.run-tests}}", "{{\"open}}", "{{template \"no\"}}", "{{nofunc 1}}",
            "{{$x}}", "{{.goal.deep}}", "{{indent -1 .goal}}", "{{join .task}}", "{{range 200000}}{{end}}",
            "{{range 90000}}{{printf \"%2000d\" .}}{{end}}", "{{define \"r\"}}{{template \"r\" .}}{{end}}{{template \"r\" .}}",
        ]
        .map(|source| format!("{source:?}\n    {}", told(source)))
        .join("\n"),
        @r#"
    "{{if .goal}}x"
        t.md:1:3: this `{{if}}` has no `{{end}}`
    "a\n{{with .task}}{{if .x}}{{end}}"
        t.md:2:3: this `{{with}}` has no `{{end}}`
    "{{range .x}}{{else}}y"
        t.md:1:3: this `{{range}}` has no `{{end}}`
    "x{{end}}y"
        t.md:1:2: this `{{end}}` or `{{else}}` belongs to nothing
    "a\nb {{ else }}c"
        t.md:2:3: this `{{end}}` or `{{else}}` belongs to nothing
    "{{define \"x\"}}y"
        t.md:1:3: this `{{define}}` has no `{{end}}`
    "{{.goal"
        t.md:1:8: unclosed action
    "{{/* open"
        t.md:1:10: unclosed comment
    "{{.run-tests}}"
        t.md:1:7: unexpected character: '-'; a step `run-tests` is written `{{.run_tests}}`
    "{{\"open}}"
        t.md:1:10: unterminated string
    "{{template \"no\"}}"
        t.md:1:3: undefined template: no
    "{{nofunc 1}}"
        t.md:1:3: undefined function: nofunc
    "{{$x}}"
        t.md:1:3: undefined variable: $x
    "{{.goal.deep}}"
        t.md:1:3: can't evaluate field deep in type string
    "{{indent -1 .goal}}"
        t.md:1:3: indent: the width is a number from 0 to 1000
    "{{join .task}}"
        t.md:1:3: wrong number of arguments: join expects 2, got 1
    "{{range 200000}}{{end}}"
        t.md:1:3: `range` exceeds 100000 iterations
    "{{range 90000}}{{printf \"%2000d\" .}}{{end}}"
        t.md:1:3: the result exceeds 4194304 bytes
    "{{define \"r\"}}{{template \"r\" .}}{{end}}{{template \"r\" .}}"
        t.md:1:42: recursion limit exceeded
    "#
    );
}

#[test]
fn spells_include_spells() {
    let book = book(&[
        ("outer", "[{{include \"inner\"}}|{{include \"title\" .task}}]"),
        ("inner", "{{.goal}}"),
        ("title", "{{.title}}"),
        ("broken", "fine\n{{.nope}}"),
        ("self", "{{include \"other\"}}"),
        ("other", "{{include \"self\"}}"),
    ]);
    let render = |source: &str| Template::parse("t.md", source)?.render(&context(&values()), &book);
    assert_eq!(render("{{include \"outer\"}}").as_deref(), Ok("[Ship|Fix login]"));
    let told = |source: &str| render(source).unwrap_err().to_string();
    assert_eq!(told("a\n{{include \"broken\"}}"), "broken.md:2:3: there is no `nope` in `{{.nope}}`");
    assert_eq!(told("{{include \"self\"}}"), "other.md:1:3: include: a spell includes itself: self → other → self");
    assert_eq!(told("\n{{include \"no\"}}"), "t.md:2:3: include: there is no spell `no`");
    assert!(told("{{include 5}}").contains("is a text"));
}

#[test]
fn includes_are_limited_in_depth_and_number() {
    let mut spells = Spellbook::default();
    for number in 0..40 {
        let text = format!("{{{{include \"s{}\"}}}}", number + 1);
        spells.add(&format!("s{number}"), Spell { file: format!("s{number}.md"), text });
    }
    spells
        .add("wide", Spell { file: "wide.md".to_owned(), text: "{{range 900}}{{include \"leaf\"}}{{end}}".to_owned() });
    spells.add("leaf", Spell { file: "leaf.md".to_owned(), text: String::new() });
    let spells = Arc::new(spells);
    let told = |source: &str| {
        Template::parse("t.md", source).unwrap().render(&context(&values()), &spells).unwrap_err().to_string()
    };
    assert!(told("{{include \"s0\"}}").contains("more than 16 spells include each other"));
    assert!(told("{{include \"wide\"}}{{include \"wide\"}}").contains("more than 1000 spells"));
}

#[test]
fn references_have_their_paths_and_places() {
    let source = concat!(
        "{{.a.b}} {{$.c}}\n{{with .d}}{{.e}}{{range .f}}{{.unknown}}{{$.g}}{{end}}{{end}}\n",
        "{{index . \"h-i\" \"j\"}} {{.k | default \"\"}} {{default 1 .l}} {{$v := .m}}{{$v.n}}{{(.o).p}}\n",
        "{{template \"t\" .q}}{{define \"t\"}}{{.r}}{{end}}{{include \"s\"}}{{include \"u\" .w}}{{$z}}{{fun .x}}",
    );
    let found = Template::parse("t.md", source).unwrap().references();
    let fields: Vec<String> = found
        .fields
        .iter()
        .map(|field| {
            let mark = if field.optional { "?" } else { "" };
            format!("{}:{} {}{mark}", field.at.line, field.at.column, field.path.join("."))
        })
        .collect();
    insta::assert_snapshot!(fields.join("\n"), @r"
    1:3 a.b
    1:12 c
    2:8 d
    2:14 d.e
    2:26 d.f
    2:44 g
    3:9 h-i.j
    3:25 k?
    3:55 l?
    3:68 m
    3:74 m.n
    3:83 o
    3:82 o.p
    4:16 q
    4:36 q.r
    4:76 w
    4:92 x
    ");
    let includes: Vec<_> = found.includes.iter().map(|include| (include.name.as_str(), include.dot.clone())).collect();
    assert_eq!(includes, [("s", Some(vec![])), ("u", Some(vec!["w".to_owned()]))]);
    let unknown: Vec<String> = found.unknown.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(unknown.join("\n"), @"
    t.md:4:82: there is no variable `$z`
    t.md:4:88: there is no function `fun`; did you mean `len`?
    ");
}

const PIECES: &[&str] = &[
    "{{",
    "}}",
    "{{-",
    "-}}",
    "if",
    "else",
    "end",
    "range",
    "with",
    "define",
    "template",
    "block",
    " ",
    ".",
    ".task",
    ".task.title",
    "$",
    "$x",
    ":=",
    "=",
    "|",
    "(",
    ")",
    "\"a\"",
    "`",
    "'",
    "/*",
    "*/",
    "1",
    "-1",
    "index",
    "default",
    "include",
    "indent",
    "join",
    "printf",
    "break",
    "continue",
    "nil",
    "true",
    ",",
    "\n",
    "é",
    "\u{1}end",
    "text",
    "\\",
    "len",
    "slice",
    "call",
];

proptest! {
    #[test]
    fn no_text_stops_it(source in ".{0,100}") {
        let _ = rendered(&source);
    }

    #[test]
    fn no_pieces_in_any_order_stop_it(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        let source = pieces.concat();
        if let Ok(template) = Template::parse("t.md", &source) {
            let _ = template.references();
            let _ = template.render(&context(&values()), &book(&[("a", "{{.task.title}}")]));
        }
    }

    #[test]
    fn text_without_braces_comes_out_as_it_went_in(source in "[^{}]{0,200}") {
        prop_assert_eq!(rendered(&source), Ok(source));
    }

    #[test]
    fn what_references_say_is_there_does_not_fail(name in "[a-z]{1,4}", inner in "[a-z]{1,4}") {
        let source = format!("{{{{.{name}.{inner}}}}}");
        let known = context(&json!({ name: { inner: "v" } }));
        prop_assert_eq!(Template::parse("t", &source).unwrap().render(&known, &book(&[])), Ok("v".to_owned()));
    }
}

#[test]
fn one_action_alone_keeps_its_value() {
    let json = serde_json::json!({
        "task": { "title": "T", "labels": ["a", "b"] }, "count": 3, "half": 0.5, "yes": true, "none": null, "text": "5",
    });
    let context = TemplateValues::new(json.as_object().unwrap());
    let value =
        |source: &str| Template::parse("t.md", source)?.render_value(&context, &book(&[("s", "in {{.count}}")]));
    for (source, expected) in [
        ("{{.task}}", json["task"].clone()),
        ("{{- .task.labels -}}", json["task"]["labels"].clone()),
        ("{{.count}}", 3.into()),
        ("{{.half}}", 0.5.into()),
        ("{{.yes | not}}", false.into()),
        ("{{.nothing | default 7}}", 7.into()),
        ("{{index .task \"labels\"}}", json["task"]["labels"].clone()),
        ("{{.text}}", "5".into()),
        ("{{.none}}", "".into()),
        ("{{include \"s\"}}", "in 3".into()),
        ("{{.count}} ", "3 ".into()),
        ("{{.count}}{{.count}}", "33".into()),
        ("{{if .yes}}{{.count}}{{end}}", "3".into()),
        ("{{$x := .count}}", "".into()),
        ("plain", "plain".into()),
    ] {
        assert_eq!(value(source), Ok(expected), "{source}");
    }
    let error = value("{{.task.titel}}").unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error.nearest.as_deref()),
        ("t.md:1:3: there is no `titel` in `{{.task.titel}}`; did you mean `title`?", Some("title"))
    );
}
