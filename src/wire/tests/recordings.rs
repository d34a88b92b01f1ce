//! Recorded vendor traffic, where it is at hand: `STARTLINE_CAPTURES`, or `../shared/captures` from the project's root.
//! It is not part of the project; a run without it says so.

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;
use startline_actors::leg::{Ending, Progress};

use super::fixtures::surface_of;
use super::replay::{run, verdict_byte_by_byte};
use super::splits::check_two_piece_splits;
use crate::vocabulary::ProviderSurface;

/// Bodies up to this size are split and cut at every byte by the everyday tests.
const EVERY_BYTE_MAX: usize = 8 << 10;

/// A recorded stream, framed, and what a plain reading of its events says.
struct Recording {
    name: String,
    surface: ProviderSurface,
    body: Vec<u8>,
    starts_at: Option<usize>,
    fails: bool,
    /// The last byte of the first terminal event's JSON; `None` where it cannot be read (one recording is edited by hand, and
    /// two of its events lack a brace).
    terminal_end: Option<usize>,
}

/// The folder of the recordings; prints that they are skipped when it is not there.
pub fn captures() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/captures");
    let folder = env::var_os("STARTLINE_CAPTURES").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no recordings (STARTLINE_CAPTURES, or ../shared/captures)");
    None
}

fn recordings() -> Vec<Recording> {
    let mut found = Vec::new();
    for entry in captures()
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("the recordings"))
    {
        let folder = entry.expect("an entry").path();
        if !folder.is_dir() {
            continue;
        }
        let surface = surface_of(
            &folder
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .replace('-', "."),
        );
        for file in fs::read_dir(&folder).expect("a folder") {
            let path = file.expect("an entry").path();
            let name = path.to_string_lossy().into_owned();
            if let Some(events) = events_of(&path) {
                found.push(framed(name, surface, &events));
            }
        }
    }
    found
}

/// The events' JSON, from either form.
fn events_of(path: &Path) -> Option<Vec<String>> {
    let name = path.file_name()?.to_str()?;
    let text = || fs::read_to_string(path).expect("a recording");
    if name.ends_with(".events.jsonl") {
        return Some(text().lines().map(str::to_owned).collect());
    }
    if !name.ends_with(".sse") {
        return None;
    }
    let data = |line: &str| line.strip_prefix("data: ").map(str::to_owned);
    Some(text().lines().filter_map(data).collect())
}

fn framed(name: String, surface: ProviderSurface, events: &[String]) -> Recording {
    let mut recording = Recording {
        name,
        surface,
        body: Vec::new(),
        starts_at: None,
        fails: false,
        terminal_end: None,
    };
    for json in events {
        let event: Value = serde_json::from_str(json).unwrap_or_default();
        let kind = event["type"].as_str().or(event["event_type"].as_str());
        let name_line = kind.map_or(String::new(), |kind| format!("event: {kind}\n"));
        recording
            .body
            .extend_from_slice(format!("{name_line}data: {json}").as_bytes());
        recording.note(kind.unwrap_or_default(), &event);
        recording.body.extend_from_slice(b"\n\n");
    }
    let closing = match surface {
        ProviderSurface::OpenaiChat => "data: [DONE]",
        ProviderSurface::GeminiInteractions => "event: done\ndata: [DONE]",
        _ => return recording,
    };
    recording.body.extend_from_slice(closing.as_bytes());
    if surface == ProviderSurface::OpenaiChat {
        recording.terminal_end = Some(recording.body.len());
    }
    recording.body.extend_from_slice(b"\n\n");
    recording
}

impl Recording {
    /// The rules of the contract, in the plainest words.
    fn note(&mut self, kind: &str, event: &Value) {
        let delta = &event["choices"][0]["delta"];
        let proves = match self.surface {
            ProviderSurface::OpenaiResponses => {
                event["output_index"].is_u64() || kind == "response.completed"
            }
            ProviderSurface::OpenaiChat => delta["content"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            ProviderSurface::GeminiInteractions => kind.starts_with("step."),
            ProviderSurface::AnthropicMessages => {
                kind == "content_block_start" || event["delta"]["stop_reason"].is_string()
            }
        };
        if proves && self.starts_at.is_none() && !self.fails {
            self.starts_at = Some(self.body.len() + 2);
        }
        self.fails |= kind == "error" || kind == "response.failed";
        let terminal = [
            "response.completed",
            "response.incomplete",
            "response.failed",
            "interaction.completed",
            "message_stop",
        ];
        if terminal.contains(&kind) {
            self.terminal_end.get_or_insert(self.body.len());
        }
    }

    fn check_splits(&self, positions: impl IntoIterator<Item = usize>) {
        let outcome = check_two_piece_splits(&self.name, self.surface, &self.body, positions);
        assert!(outcome.relayed == self.body, "{}", self.name);
        let complete = self.terminal_end.is_some() && !self.fails;
        assert_eq!(
            outcome.ending == Ending::Complete,
            complete,
            "{}",
            self.name
        );
        if self.fails {
            assert!(
                matches!(outcome.progress, Progress::Refused(_)),
                "{}",
                self.name
            );
            assert!(
                matches!(outcome.ending, Ending::Failed { terminal: true, .. }),
                "{}",
                self.name
            );
            return;
        }
        let (verdict, at) = verdict_byte_by_byte(self.surface, &self.body);
        assert_eq!(
            (verdict, at),
            (Progress::Started, self.starts_at),
            "{}",
            self.name
        );
    }

    fn check_cuts(&self, cuts: impl IntoIterator<Item = usize>) {
        for cut in cuts {
            let ending = run(self.surface, [&self.body[..cut]]).ending;
            let whole = self.terminal_end.is_some_and(|end| cut >= end) && !self.fails;
            assert_eq!(
                ending == Ending::Complete,
                whole,
                "{}, cut at {cut}",
                self.name
            );
        }
    }

    /// Every position of a small body; of a large one its first and last 300 and some between, or every one too when
    /// `STARTLINE_ALL` is set.
    fn positions(&self) -> Vec<usize> {
        let length = self.body.len();
        if std::env::var_os("STARTLINE_ALL").is_some() {
            return (1..length).collect();
        }
        let near_an_end = |at: usize| at < 300 || at + 300 > length;
        (1..length)
            .filter(|at| length <= EVERY_BYTE_MAX || near_an_end(*at) || at % 997 == 0)
            .collect()
    }
}

#[test]
fn recordings_mean_the_same_however_they_are_split() {
    for recording in recordings() {
        recording.check_splits(recording.positions());
    }
}

#[test]
fn recordings_cut_short_are_complete_only_after_their_terminal_event() {
    for recording in recordings() {
        recording.check_cuts(recording.positions());
    }
}

#[test]
fn the_recorded_flex_queue_starts_with_the_item_that_came_24_s_later() {
    let Some(queued) = recordings()
        .into_iter()
        .find(|recording| recording.name.contains("flex-queued-24s"))
    else {
        return;
    };
    let at = queued.starts_at.expect("a start");
    let text = String::from_utf8_lossy(&queued.body[..at]);
    assert!(
        text.trim_end()
            .lines()
            .last()
            .is_some_and(|line| line.contains("response.output_item.added"))
    );
    assert_eq!(text.matches("data: ").count(), 3);
}
