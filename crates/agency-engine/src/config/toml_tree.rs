//! A TOML file as values with their positions.

use agency_model::document::{Key, Layout, Mistake, Node, NodeKind, NodeText, Reason, Source};
use serde_json::Number;
use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

/// The values of a file, keys in the order of the text.
pub(super) fn read(source: &Source<'_>) -> Result<Node, Mistake> {
    let table = DeTable::parse(source.text()).map_err(|error| {
        let at = source.position(error.span().map_or(0, |span| span.start));
        source.mistake(at, format!("not valid TOML: {}", error.message())).because(Reason::Syntax)
    })?;
    Ok(Node::new(source.position(0), map(table.get_ref(), source)))
}

fn map(table: &DeTable<'_>, source: &Source<'_>) -> NodeKind {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &dyn AsRef<str> = key.get_ref();
        (Key { name: name.as_ref().to_owned(), at: source.position(key.span().start) }, node(value, source))
    };
    let mut entries: Vec<(Key, Node)> = table.iter().map(entry).collect();
    entries.sort_by_key(|(key, _)| key.at);
    NodeKind::Map(entries)
}

fn node(value: &Spanned<DeValue<'_>>, source: &Source<'_>) -> Node {
    let at = source.position(value.span().start);
    let kind = match value.get_ref() {
        DeValue::Table(table) => map(table, source),
        DeValue::Array(items) => NodeKind::List(items.iter().map(|item| node(item, source)).collect()),
        DeValue::String(text) => NodeKind::Text(NodeText { value: text.to_string(), at, layout: Layout::Folded }),
        DeValue::Boolean(value) => NodeKind::Bool(*value),
        DeValue::Integer(number) => number_or_other(integer(number), number.as_str()),
        DeValue::Float(number) => {
            number_or_other(number.as_str().parse().ok().and_then(Number::from_f64), number.as_str())
        }
        DeValue::Datetime(date) => NodeKind::Other(date.to_string()),
    };
    Node::new(at, kind)
}

fn integer(number: &DeInteger<'_>) -> Option<Number> {
    let signed = i64::from_str_radix(number.as_str(), number.radix()).ok().map(Number::from);
    signed.or_else(|| u64::from_str_radix(number.as_str(), number.radix()).ok().map(Number::from))
}

fn number_or_other(number: Option<Number>, written: &str) -> NodeKind {
    number.map_or_else(|| NodeKind::Other(written.to_owned()), NodeKind::Number)
}

#[cfg(test)]
mod tests {
    use super::read;
    use agency_model::document::{Format, Node, NodeKind, Source};

    fn lines(node: &Node, path: &str, lines: &mut Vec<String>) {
        lines.push(format!("{path} {}:{} {}", node.at.line, node.at.column, node.described(Format::Toml)));
        if let NodeKind::List(items) = &node.kind {
            items.iter().for_each(|item| self::lines(item, &format!("{path}[]"), lines));
        }
        for (key, value) in node.entries() {
            self::lines(value, &format!("{path}.{}@{}:{}", key.name, key.at.line, key.at.column), lines);
        }
    }

    #[test]
    fn keys_and_elements_come_in_the_order_of_the_text() {
        let text = "z = 0x1f\na.b = \"x\"\n[agents.mine]\nargs = [\"p\",\n 1.5, -3, inf, 1979-05-27, true]\n";
        let root = read(&Source::new("f.toml", text, Format::Toml)).unwrap();
        let mut found = vec![];
        lines(&root, "", &mut found);
        insta::assert_snapshot!(found.join("\n"), @r#"
         1:1 a table
        .z@1:1 1:5 the number 31
        .a@2:1 2:1 a table
        .a@2:1.b@2:3 2:7 "x"
        .agents@3:2 3:2 a table
        .agents@3:2.mine@3:9 3:1 a table
        .agents@3:2.mine@3:9.args@4:1 4:8 an array
        .agents@3:2.mine@3:9.args@4:1[] 4:9 "p"
        .agents@3:2.mine@3:9.args@4:1[] 5:2 the number 1.5
        .agents@3:2.mine@3:9.args@4:1[] 5:7 the number -3
        .agents@3:2.mine@3:9.args@4:1[] 5:11 `inf`
        .agents@3:2.mine@3:9.args@4:1[] 5:16 `1979-05-27`
        .agents@3:2.mine@3:9.args@4:1[] 5:28 `true`
        "#);
    }

    #[test]
    fn a_long_line_of_many_values_is_read_quickly() {
        let text = format!("\"é\" = [{}]", vec!["1"; 300_000].join(","));
        let root = read(&Source::new("f.toml", &text, Format::Toml)).unwrap();
        let NodeKind::List(items) = &root.entries()[0].1.kind else { panic!("{root:?}") };
        assert_eq!(items.last().unwrap().at.column, 8 + 2 * 299_999);
    }
}
