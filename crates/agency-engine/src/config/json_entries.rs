//! The entries of a JSON file.
//!
//! The text was parsed before, so it is known to be JSON and not to be nested deeply. Were it not, the walk would still
//! end: each step moves on or returns.

use super::entries::{ConfigEntry, Kind, index};
use std::collections::HashSet;

/// A key that an object has twice.
#[derive(Debug)]
pub(super) struct Duplicate {
    pub(super) path: Vec<String>,
    pub(super) offset: usize,
}

/// Every entry of the file in the order of the text, the file itself first.
pub(super) fn entries(text: &str) -> Result<Vec<ConfigEntry>, Duplicate> {
    let mut walk = JsonWalk { text, offset: 0, path: Vec::new(), entries: Vec::new() };
    walk.skip_space();
    walk.entry(walk.offset)?;
    Ok(walk.entries)
}

struct JsonWalk<'text> {
    text: &'text str,
    offset: usize,
    path: Vec<String>,
    entries: Vec<ConfigEntry>,
}

impl JsonWalk<'_> {
    /// Walks over the value that begins here.
    fn entry(&mut self, key_offset: usize) -> Result<(), Duplicate> {
        let kind = match self.peek() {
            Some(b'{') => Kind::Table,
            Some(b'[') => Kind::List,
            Some(b'"') => Kind::Text,
            Some(_) | None => Kind::Other,
        };
        self.entries.push(ConfigEntry { path: self.path.clone(), key_offset, value_offset: self.offset, kind });
        match self.peek() {
            Some(b'{') => self.object()?,
            Some(b'[') => self.array()?,
            Some(b'"') => {
                self.string();
            }
            Some(_) | None => self.skip_while(|byte| !matches!(byte, b',' | b'}' | b']')),
        }
        self.skip_space();
        Ok(())
    }

    fn object(&mut self) -> Result<(), Duplicate> {
        let mut seen = HashSet::new();
        self.step();
        while self.peek() == Some(b'"') {
            let key_offset = self.offset;
            let key = self.string();
            self.path.push(key.clone());
            if !seen.insert(key) {
                return Err(Duplicate { path: self.path.clone(), offset: key_offset });
            }
            self.skip_space();
            self.step();
            self.entry(key_offset)?;
            self.path.pop();
            self.step_over_comma();
        }
        self.step();
        Ok(())
    }

    fn array(&mut self) -> Result<(), Duplicate> {
        self.step();
        let mut number = 0;
        while !matches!(self.peek(), Some(b']' | b'}') | None) {
            self.path.push(index(number));
            self.entry(self.offset)?;
            self.path.pop();
            self.step_over_comma();
            number += 1;
        }
        self.step();
        Ok(())
    }

    /// The string that begins here.
    fn string(&mut self) -> String {
        let start = self.offset;
        self.offset += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self.offset += 2,
                b'"' => break,
                _ => self.offset += 1,
            }
        }
        self.offset += 1;
        let quoted = self.text.get(start..self.offset).unwrap_or_default();
        serde_json::from_str(quoted).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    /// Steps over one mark and the space after it.
    fn step(&mut self) {
        self.offset += 1;
        self.skip_space();
    }

    fn step_over_comma(&mut self) {
        if self.peek() == Some(b',') {
            self.step();
        }
    }

    fn skip_space(&mut self) {
        self.skip_while(|byte| byte.is_ascii_whitespace());
    }

    fn skip_while(&mut self, skipped: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&skipped) {
            self.offset += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::entries;
    use crate::config::entries::dotted;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn keys_and_elements_come_in_the_order_of_the_text() {
        let text = r#" {"z": -1.5, "a\"}": {"b": "x\\"}, "list": [ {}, [true, null], "]"], "end": 0 } "#;
        let lines: Vec<String> = entries(text)
            .unwrap()
            .iter()
            .map(|entry| {
                format!("{} {} {} {:?}", dotted(&entry.path), entry.key_offset, entry.value_offset, entry.kind)
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
         1 1 Table
        z 2 7 Other
        "a\"}" 13 21 Table
        "a\"}".b 22 27 Text
        list 35 43 List
        list[0] 45 45 Table
        list[1] 49 49 List
        list[1][0] 50 50 Other
        list[1][1] 56 56 Other
        list[2] 63 63 Text
        end 69 76 Other
        "#);
    }

    #[test]
    fn a_key_that_is_there_twice_is_found() {
        let duplicate = entries(r#"{"a": {"b": 1, "c": {}, "b": 2}}"#).unwrap_err();
        assert_eq!((dotted(&duplicate.path).as_str(), duplicate.offset), ("a.b", 24));
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,5}".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(".{0,5}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn count(value: &Value) -> usize {
        let children =
            value.as_array().into_iter().flatten().chain(value.as_object().into_iter().flat_map(|map| map.values()));
        1 + children.map(count).sum::<usize>()
    }

    proptest! {
        #[test]
        fn every_value_of_any_json_is_found(value in json()) {
            prop_assert_eq!(entries(&value.to_string()).unwrap().len(), count(&value));
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(entries(&pretty).unwrap().len(), count(&value));
        }

        #[test]
        fn no_text_stops_it(text in r#"[{}\[\]",:\\a1 é]{0,20}"#) {
            let _ = entries(&text);
        }
    }
}
