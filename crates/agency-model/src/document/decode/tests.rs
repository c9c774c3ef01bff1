//! Every mistake of a file is reported, each with its field and its place.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::{Format, Source, read_json};
use super::decode;
use crate::{Host, VcsChoice};

#[derive(Debug, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields, expecting = "a shop")]
struct Shop {
    name: String,
    host: Host,
    vcs: Option<VcsChoice>,
    floors: u32,
    open: bool,
    env: BTreeMap<String, String>,
    items: Vec<Item>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, expecting = "an item")]
struct Item {
    label: String,
    price: f64,
}

impl Default for Shop {
    fn default() -> Self {
        Self {
            name: String::new(),
            host: Host::Tmux,
            vcs: None,
            floors: 1,
            open: true,
            env: BTreeMap::new(),
            items: vec![],
        }
    }
}

fn read(text: &str) -> Result<Shop, String> {
    let source = Source::new("f", text, Format::Json);
    let (root, mistakes) = read_json(&source);
    assert_eq!(mistakes, []);
    decode::<Shop>(&root.unwrap(), &source)
        .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[test]
fn what_is_right_is_read() {
    let text =
        r#"{"name": "x", "host": "detached", "vcs": null, "env": {"A": "1"}, "items": [{"label": "a", "price": 2}]}"#;
    let shop = read(text).unwrap();
    assert_eq!((shop.host, shop.vcs, shop.floors), (Host::Detached, None, 1));
    assert_eq!(shop.items, [Item { label: "a".to_owned(), price: 2.0 }]);
}

#[test]
fn every_mistake_is_told_in_the_order_of_the_text() {
    let text = r#"{
 "nmae": 1, "zzz": 2, "name": 5,
 "host": "screen", "vcs": "gti", "floors": -1,
 "open": "yes",
 "items": [{"label": 1, "price": "x"}, 5, {"label": "b"}, {"label": "c", "price": 1, "colour": "red"}, []]
}"#;
    insta::assert_snapshot!(read(text).unwrap_err(), @r#"
    f:2:2: `nmae`: unknown key; did you mean `name`?
    f:2:13: `zzz`: unknown key, expected one of `name`, `host`, `vcs`, `floors`, `open`, `env`, `items`
    f:2:31: `name`: expected a string, found the number 5
    f:3:10: `host`: unknown value `screen`, expected `tmux` or `detached`
    f:3:27: `vcs`: unknown value `gti`, expected one of `auto`, `git`, `jj`; did you mean `git`?
    f:3:44: `floors`: expected a whole number, 0 or more, found the number -1
    f:4:10: `open`: expected `true` or `false`, found "yes"
    f:5:22: `items[0].label`: expected a string, found the number 1
    f:5:34: `items[0].price`: expected a number, found "x"
    f:5:40: `items[1]`: expected an item, found the number 5
    f:5:56: `items[2].price`: missing
    f:5:86: `items[3].colour`: unknown key, expected `label` or `price`
    f:5:104: `items[4]`: expected an item, found an array
    "#);
    insta::assert_snapshot!(read("[]").unwrap_err(), @"f:1:1: expected a shop, found an array");
    insta::assert_snapshot!(read(r#"{"items": {}, "floors": 1.5}"#).unwrap_err(), @"
    f:1:11: `items`: expected an array, found an object
    f:1:25: `floors`: expected a whole number, 0 or more, found the number 1.5
    ");
}

#[test]
fn values_that_may_be_secrets_are_not_repeated() {
    for text in [r#"{"env": "s3cret"}"#, r#"{"env": {"A": ["s3cret"]}}"#, r#"{"env": {"A": 12345}}"#] {
        let told = read(text).unwrap_err();
        assert!(!told.contains("s3cret") && !told.contains("12345"), "{told}");
    }
}

#[test]
fn a_file_of_mistakes_is_read_in_bounded_time() {
    let text = format!("{{\"items\": [{}]}}", vec!["5"; 100_000].join(","));
    assert_eq!(read(&text).unwrap_err().lines().count(), super::MAX_MISTAKES);
}
