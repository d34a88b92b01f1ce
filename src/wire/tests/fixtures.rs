//! The streams in `tests/fixtures/streams` and what `expected.txt` says about each: verdict, the byte at which it is
//! there, ending, the byte from which that holds.

use std::fs;
use std::path::PathBuf;

use startline_actors::leg::{Ending, Progress};

use super::replay::{run, verdict_byte_by_byte};
use super::splits::{check_every_truncation, check_every_two_piece_split};
use crate::vocabulary::ProviderSurface;
use crate::wire::sse::for_each_block;

/// One row of the table, with its stream.
pub struct Fixture {
    pub name: String,
    pub surface: ProviderSurface,
    pub body: Vec<u8>,
    verdict: String,
    at: Option<usize>,
    code: Option<String>,
    ending: String,
    from: usize,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/streams")
}

/// The surface with this word.
pub fn surface_of(word: &str) -> ProviderSurface {
    let all = [
        ProviderSurface::OpenaiResponses,
        ProviderSurface::OpenaiChat,
        ProviderSurface::GeminiInteractions,
        ProviderSurface::AnthropicMessages,
    ];
    all.into_iter()
        .find(|surface| surface.word() == word)
        .expect("a surface")
}

/// The fixture with this name.
pub fn fixture(name: &str) -> Fixture {
    let found = all_fixtures()
        .into_iter()
        .find(|fixture| fixture.name == name);
    found.unwrap_or_else(|| panic!("no fixture {name}"))
}

fn all_fixtures() -> Vec<Fixture> {
    let table = fs::read_to_string(folder().join("expected.txt")).expect("the table");
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(read_row)
        .collect()
}

fn read_row(line: &str) -> Fixture {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let [name, surface, verdict, at, code, ending, from] = columns[..] else {
        panic!("a row with seven columns, not {line:?}");
    };
    Fixture {
        name: name.to_owned(),
        surface: surface_of(surface),
        body: fs::read(folder().join(format!("{name}.sse"))).expect("the stream"),
        verdict: verdict.to_owned(),
        at: at.parse().ok(),
        code: (code != "-").then(|| code.to_owned()),
        ending: ending.to_owned(),
        from: from.parse().expect("an offset"),
    }
}

impl Fixture {
    fn check_verdict(&self, progress: &Progress) {
        let word = match progress {
            Progress::Queued => "queued",
            Progress::Started => "started",
            Progress::Refused(fault) => {
                assert_eq!(fault.code, self.code, "{}", self.name);
                "refused"
            }
            Progress::Oversized => "oversized",
        };
        assert_eq!(word, self.verdict, "{}", self.name);
    }

    fn check_ending(&self, ending: &Ending) {
        let word = match ending {
            Ending::Complete => "complete",
            Ending::Truncated => "truncated",
            Ending::Failed { fault, terminal } => {
                assert_eq!(fault.code, self.code, "{}", self.name);
                assert!(!fault.message.is_empty(), "{}", self.name);
                if *terminal {
                    "failed_terminal"
                } else {
                    "failed"
                }
            }
        };
        assert_eq!(word, self.ending, "{}", self.name);
    }
}

#[test]
fn every_fixture_is_in_the_table() {
    let mut files: Vec<String> = fs::read_dir(folder())
        .expect("the folder")
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".sse").map(str::to_owned))
        .collect();
    let mut rows: Vec<String> = all_fixtures()
        .into_iter()
        .map(|fixture| fixture.name)
        .collect();
    files.sort();
    rows.sort();
    assert_eq!(files, rows);
}

#[test]
fn every_fixture_has_its_verdict_at_its_byte() {
    for fixture in all_fixtures() {
        let (verdict, at) = verdict_byte_by_byte(fixture.surface, &fixture.body);
        fixture.check_verdict(&verdict);
        assert_eq!(at, fixture.at, "{}", fixture.name);
    }
}

#[test]
fn every_fixture_means_the_same_however_it_is_split() {
    for fixture in all_fixtures() {
        let outcome = check_every_two_piece_split(&fixture.name, fixture.surface, &fixture.body);
        fixture.check_verdict(&outcome.progress);
        fixture.check_ending(&outcome.ending);
        let told = matches!(
            outcome.ending,
            Ending::Complete | Ending::Failed { terminal: true, .. }
        );
        if told {
            assert!(
                outcome.relayed == fixture.body,
                "{} is passed on byte for byte",
                fixture.name
            );
        }
    }
}

#[test]
fn every_fixture_cut_anywhere_is_complete_only_after_its_terminal_event() {
    for fixture in all_fixtures() {
        check_every_truncation(&fixture.name, fixture.surface, &fixture.body, fixture.from);
        for cut in fixture.from..=fixture.body.len() {
            fixture.check_ending(&run(fixture.surface, [&fixture.body[..cut]]).ending);
        }
    }
}

#[test]
fn no_event_that_only_says_the_request_exists_is_a_start() {
    let existing = [
        "\"response.created\"",
        "\"response.queued\"",
        "\"response.in_progress\"",
        "\"keepalive\"",
    ];
    let of_gemini = ["\"interaction.created\"", "\"interaction.status_update\""];
    let mut seen = 0;
    for fixture in all_fixtures() {
        for_each_block(&fixture.body, |block| {
            let text = String::from_utf8_lossy(block);
            let begins = existing
                .iter()
                .any(|word| text.contains(&format!("{{\"type\":{word}")));
            let ends = of_gemini
                .iter()
                .any(|word| text.contains(&format!("\"event_type\":{word}}}")));
            if begins || ends {
                seen += 1;
                assert_eq!(
                    run(fixture.surface, [block]).progress,
                    Progress::Queued,
                    "{text}"
                );
            }
        });
    }
    assert!(seen > 80, "{seen}");
}
