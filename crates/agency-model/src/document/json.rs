//! Reads JSON as values with their positions: first strictly as JSON, then by the reader of YAML, which contains it.

use granit_parser::ErrorKind;
use serde::Deserialize;
use serde_json::Value;

use super::{Mistake, Node, Reason, Source, yaml};

/// The values of a file, as far as it could be read, and what is wrong with its form.
#[must_use]
pub fn read_json(source: &Source<'_>) -> (Option<Node>, Vec<Mistake>) {
    match check(source) {
        Ok(()) => yaml::read_with(source, refused_by_yaml),
        Err(mistake) => (None, vec![mistake]),
    }
}

/// Refuses what is not JSON: YAML allows more.
fn check(source: &Source<'_>) -> Result<(), Mistake> {
    let mistake = |error: &serde_json::Error, message: &str| {
        let at = source.position_of_bytes(error.line(), error.column().max(1));
        source.mistake(at, message).because(Reason::Syntax)
    };
    let mut reader = serde_json::Deserializer::from_str(source.text());
    Value::deserialize(&mut reader).map_err(|error| {
        let suffix = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        mistake(&error, &format!("not valid JSON: {}", message.strip_suffix(&suffix).unwrap_or(&message)))
    })?;
    reader.end().map_err(|error| mistake(&error, "not valid JSON: expected the end of the file after the value"))
}

/// The little of JSON that YAML does not have.
#[expect(clippy::wildcard_enum_match_arm, reason = "the parser may know further kinds in later versions")]
fn refused_by_yaml(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::UnexpectedCharacter { character } => {
            let code = u32::from(*character);
            format!("found the character U+{code:04X}; write it as an escape, `\\u{code:04x}`")
        }
        _ => "the name of a field has at most 1024 characters".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Serialize;
    use serde_json::Value;

    use super::read_json;
    use crate::document::{Format, Node, NodeKind, Source};

    fn told(text: &str) -> String {
        let (_, mistakes) = read_json(&Source::new("f.json", text, Format::Json));
        mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    fn described(node: &Node, path: &str, lines: &mut Vec<String>) {
        lines.push(format!("{path} {} {}", node.at.column, node.described(Format::Json)));
        if let NodeKind::List(items) = &node.kind {
            for (index, item) in items.iter().enumerate() {
                described(item, &format!("{path}[{index}]"), lines);
            }
        }
        for (key, value) in node.entries() {
            described(value, &format!("{path}.{} {}", key.name, key.at.column), lines);
        }
    }

    #[test]
    fn keys_and_values_have_their_positions() {
        let text = r#" {"z": -1.5, "a\"}": {"b": "x\\"}, "list": [ {}, [true, null], "]"], "end": 0 } "#;
        let (root, mistakes) = read_json(&Source::new("f.json", text, Format::Json));
        assert_eq!(mistakes, []);
        let (root, mut lines) = (root.unwrap(), vec![]);
        described(&root, "", &mut lines);
        assert_eq!(root.end.column, 79);
        insta::assert_snapshot!(lines.join("\n"), @r#"
         2 an object
        .z 3 8 the number -1.5
        .a"} 14 22 an object
        .a"} 14.b 23 28 "x\\"
        .list 36 44 an array
        .list 36[0] 46 an object
        .list 36[1] 50 an array
        .list 36[1][0] 51 `true`
        .list 36[1][1] 57 `null`
        .list 36[2] 64 "]"
        .end 70 77 the number 0
        "#);
    }

    #[test]
    fn what_is_not_json_is_refused_although_it_is_yaml() {
        insta::assert_snapshot!(
            ["", "a: 1", "{\"a\": b}", "{'a': 1}", "{\"a\": 1,}", "{} {}", "{\"a\": 1e999}"].map(told).join("\n"),
            @"
        f.json:1:1: not valid JSON: EOF while parsing a value
        f.json:1:1: not valid JSON: expected value
        f.json:1:7: not valid JSON: expected value
        f.json:1:2: not valid JSON: key must be a string
        f.json:1:9: not valid JSON: trailing comma
        f.json:1:4: not valid JSON: expected the end of the file after the value
        f.json:1:11: not valid JSON: number out of range
        "
        );
    }

    #[test]
    fn duplicates_and_depth_are_mistakes() {
        insta::assert_snapshot!(told(r#"{"a": {"b": 1, "c": [{}, {"d": 1, "d": 2}], "b": 2}}"#), @"
        f.json:1:35: `a.c[1].d`: duplicate key
        f.json:1:45: `a.b`: duplicate key
        ");
        assert!(told(&"[".repeat(200_000)).contains("recursion limit"));
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(told(&nested(127)), "");
        assert!(told(&nested(128)).contains("recursion limit"));
    }

    #[test]
    fn the_little_that_yaml_cannot_read_is_told() {
        insta::assert_snapshot!(told("{\"a\": \"x\u{7f}\"}"), @r#"f.json:1:9: found the character U+007F; write it as an escape, `\u007f`"#);
        insta::assert_snapshot!(told(&format!("{{\"{}\": 1}}", "k".repeat(1100))), @"f.json:1:1104: the name of a field has at most 1024 characters");
    }

    fn json() -> impl Strategy<Value = Value> {
        let text = r#"[a-z0-9 :,{}\[\]"'\\#&*!|>%@`\t\n\r/éñ😀\u{85}\u{2028}\u{feff}~-]{0,8}"#;
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i32>().prop_map(|number| Value::from(f64::from(number) / 8.0)),
            text.prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 32, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(text, inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn indented(value: &Value, indent: &str) -> String {
        let mut bytes = vec![];
        let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter)).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    proptest! {
        #[test]
        fn any_json_is_read_as_it_is(value in json()) {
            for text in [value.to_string(), indented(&value, "  "), indented(&value, "\t")] {
                let expected: Value = serde_json::from_str(&text).unwrap();
                let (root, mistakes) = read_json(&Source::new("f.json", &text, Format::Json));
                prop_assert_eq!(mistakes, []);
                prop_assert_eq!(root.unwrap().value(), expected);
            }
        }

        #[test]
        fn no_text_stops_it(text in r#"[{}\[\]",:\\a1 é]{0,20}"#) {
            let _ = told(&text);
        }
    }
}
