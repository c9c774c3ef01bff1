//! The entries of a TOML file.

use super::entries::{ConfigEntry, Kind, index};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Every entry of the file, the file itself first and the others in the order of the text.
pub(super) fn entries(table: &Spanned<DeTable<'_>>) -> Vec<ConfigEntry> {
    let mut walk = TomlWalk { path: Vec::new(), entries: Vec::new() };
    walk.table(table.get_ref());
    walk.entries.sort_by_key(|entry| entry.key_offset);
    walk.entries.insert(0, ConfigEntry { path: Vec::new(), key_offset: 0, value_offset: 0, kind: Kind::Table });
    walk.entries
}

struct TomlWalk {
    path: Vec<String>,
    entries: Vec<ConfigEntry>,
}

impl TomlWalk {
    fn table(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            self.entry(key.get_ref().to_string(), key.span().start, value);
        }
    }

    fn entry(&mut self, key: String, key_offset: usize, value: &Spanned<DeValue<'_>>) {
        let inner = value.get_ref();
        let kind = match inner {
            DeValue::Table(_) => Kind::Table,
            DeValue::Array(_) => Kind::List,
            DeValue::String(_) => Kind::Text,
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => Kind::Other,
        };
        self.path.push(key);
        self.entries.push(ConfigEntry { path: self.path.clone(), key_offset, value_offset: value.span().start, kind });
        if let Some(table) = inner.as_table() {
            self.table(table);
        }
        for (number, element) in inner.as_array().into_iter().flatten().enumerate() {
            self.entry(index(number), element.span().start, element);
        }
        self.path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::entries;
    use crate::config::entries::dotted;
    use toml::de::DeTable;

    #[test]
    fn keys_and_elements_come_in_the_order_of_the_text() {
        let text = "z = 1\na.b = \"x\"\n[agents.mine]\nargs = [\"p\",\n \"q\"]\n";
        let table = DeTable::parse(text).unwrap();
        let lines: Vec<String> = entries(&table)
            .iter()
            .map(|entry| {
                format!("{} {} {} {:?}", dotted(&entry.path), entry.key_offset, entry.value_offset, entry.kind)
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
         0 0 Table
        z 0 4 Other
        a 6 6 Table
        a.b 8 12 Text
        agents 17 17 Table
        agents.mine 24 16 Table
        agents.mine.args 30 37 List
        agents.mine.args[0] 38 38 Text
        agents.mine.args[1] 44 44 Text
        ");
    }
}
