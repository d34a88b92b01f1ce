//! The configuration table of the README against the settings' own file.

use std::collections::BTreeMap;

use toml::{Table, Value};

const README: &str = include_str!("../../README.md");

/// Every key with its default as the file writes it.
fn defaults() -> BTreeMap<String, String> {
    let file: Table = toml::from_str(super::DEFAULTS).unwrap();
    let mut found = BTreeMap::new();
    collect("", &file, &mut found);
    found
}

fn collect(prefix: &str, section: &Table, found: &mut BTreeMap<String, String>) {
    for (key, value) in section {
        match value {
            Value::Table(inner) => collect(&format!("{prefix}{key}."), inner, found),
            _ => {
                found.insert(format!("{prefix}{key}"), value.to_string());
            }
        }
    }
}

/// Key and default of every row of the table.
fn documented() -> BTreeMap<String, String> {
    let (_, section) = README.split_once("\n## Configuration\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let cell = |text: &str| text.trim().trim_matches('`').to_owned();
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        (cell(cells[1]), cell(cells[2]))
    })
    .collect()
}

#[test]
fn the_readme_lists_every_key_with_its_default_and_no_other() {
    assert_eq!(documented(), defaults());
}
