//! How the demo looks: a table of 120 columns at most, one line a request. An empty cell leaves its room to the one
//! before it.

use std::time::Duration;

use super::observed::{Call, Observed, Outcome};
use super::scene::Scene;
use super::tally::Tally;
use crate::envelope::start_within;
use crate::price::MicroUsd;
use crate::vocabulary::{CallerSurface, StartWithin};

const GREEN: &str = "\x1b[32m";
const RED: &str = "\x1b[31m";
const YELLOW: &str = "\x1b[33m";
const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";
/// Takes the line under the table away, before anything is written in its place.
const CLEAR_LINE: &str = "\r\x1b[2K";

/// Columns that the output has at most.
const WIDTH: usize = 120;

/// Title and width of every column, in its order. Numbers stand at the right.
const COLUMNS: [(&str, usize, Side); 13] = [
    ("", 1, Side::Left),
    ("#", 2, Side::Right),
    ("endpoint", 12, Side::Left),
    ("form", 4, Side::Left),
    ("model", 16, Side::Left),
    ("asked", 8, Side::Left),
    ("answer", 10, Side::Left),
    ("reason", 19, Side::Left),
    ("tier", 8, Side::Left),
    ("start", 6, Side::Right),
    ("cost", 5, Side::Right),
    ("saved", 5, Side::Right),
    ("provider saw", 12, Side::Left),
];

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

/// What the output is for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// A terminal that can draw a line again.
    pub(super) live: bool,
    pub(super) colours: bool,
}

/// A request that is over.
pub(super) struct Row<'a> {
    pub(super) number: usize,
    pub(super) scene: &'a Scene,
    pub(super) observed: Observed,
    /// Empty when it went as scripted.
    pub(super) differences: Vec<String>,
}

pub(super) fn opening(address: &str, scenes: &[Scene], look: Look) -> String {
    let titles = cells(COLUMNS.map(|(title, ..)| title.to_owned()));
    format!(
        "Router on {address}, simulated providers behind it. All requests run at the same time:\n\n{}\n\n{}\n",
        programme(scenes),
        paint(&titles, DIM, look)
    )
}

/// What happens in which request, several to a line.
fn programme(scenes: &[Scene]) -> String {
    let mut entries: Vec<(&str, String)> = Vec::new();
    for (scene, number) in scenes.iter().zip(1..) {
        match entries.last_mut() {
            Some((title, numbers)) if *title == scene.title => {
                numbers.push_str(&format!(", {number}"));
            }
            _ => entries.push((scene.title, number.to_string())),
        }
    }
    let mut text = String::new();
    let mut length = 0;
    for (title, numbers) in entries {
        let entry = format!("  {numbers} {title}.");
        if length + entry.len() > WIDTH {
            text.push('\n');
            length = 0;
        }
        length += entry.len();
        text.push_str(&entry);
    }
    text
}

/// One request: what was asked, what the answer says, what the provider saw.
pub(super) fn line(row: &Row<'_>, look: Look) -> String {
    let (scene, observed) = (row.scene, &row.observed);
    let text = cells([
        if row.differences.is_empty() {
            "✓"
        } else {
            "✗"
        }
        .to_owned(),
        row.number.to_string(),
        endpoint(scene.surface).to_owned(),
        if observed.event_stream { "sse" } else { "json" }.to_owned(),
        scene.model.to_owned(),
        scene.start_within.map(asked).unwrap_or_default(),
        answer(observed),
        observed.reason.clone(),
        observed.tier.clone().unwrap_or_default(),
        observed.start.map(seconds).unwrap_or_default(),
        amount(observed.cost),
        amount(observed.saved),
        calls(&observed.calls),
    ]);
    let mut lines = paint(&text, colour(row), look) + "\n";
    for difference in &row.differences {
        let text = format!("     {}: {difference}", scene.title);
        lines.push_str(&(paint(&text, RED, look) + "\n"));
    }
    if look.live {
        lines.insert_str(0, CLEAR_LINE);
    }
    lines
}

/// The line under the table while requests are running.
pub(super) fn waiting(running: usize, since: Duration) -> String {
    format!("{CLEAR_LINE}  {running} still running, {}", seconds(since))
}

pub(super) fn closing(tally: &Tally) -> String {
    format!(
        "\nstart: from sending to the first byte of the answer. cost, saved: µUSD at list price. provider saw: the \
         status of each\ncall, in order; flex/ marks the flex tier, cut one that the router hung up on.\n\n{tally}\n"
    )
}

fn cells(texts: [String; COLUMNS.len()]) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut column = 0;
    for (text, (_, width, side)) in texts.iter().zip(COLUMNS) {
        let own = text.chars().count();
        let begin = match side {
            Side::Left => column,
            Side::Right => column + width.saturating_sub(own),
        };
        column += width + 1;
        if own == 0 {
            continue;
        }
        let gap = begin.saturating_sub(length).max(usize::from(length > 0));
        line.push_str(&" ".repeat(gap));
        line.push_str(text);
        length += gap + own;
    }
    line
}

/// A duration in seconds, as it is spoken; a tier word as it is.
fn asked(text: &str) -> String {
    match start_within::parse(text) {
        Ok(StartWithin::Within(duration)) => format!("{} s", duration.as_secs()),
        _ => text.to_owned(),
    }
}

fn endpoint(surface: CallerSurface) -> &'static str {
    match surface {
        CallerSurface::Responses => "responses",
        CallerSurface::Chat => "chat",
        CallerSurface::Interactions => "interactions",
        CallerSurface::Messages => "messages",
    }
}

fn answer(observed: &Observed) -> String {
    match observed.outcome {
        Outcome::Won => "200 won".to_owned(),
        Outcome::Lost => "200 lost".to_owned(),
        Outcome::Served => "200".to_owned(),
        Outcome::Failed => "200 failed".to_owned(),
        Outcome::Refused(status) => status.to_string(),
        Outcome::NoAnswer => "none".to_owned(),
    }
}

fn calls(calls: &[Call]) -> String {
    let one = |call: &Call| {
        let ended = call
            .status
            .map_or_else(|| "cut".to_owned(), |status| status.to_string());
        let tier = if call.tier == "flex" { "flex/" } else { "" };
        format!("{tier}{ended}")
    };
    if calls.is_empty() {
        return "nothing".to_owned();
    }
    let all: Vec<String> = calls.iter().map(one).collect();
    all.join(" ")
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn amount(amount: Option<MicroUsd>) -> String {
    amount
        .map(|amount| amount.0.to_string())
        .unwrap_or_default()
}

fn colour(row: &Row<'_>) -> &'static str {
    if !row.differences.is_empty() {
        return RED;
    }
    match row.observed.outcome {
        Outcome::Won => GREEN,
        Outcome::Lost => YELLOW,
        Outcome::Served => PLAIN,
        Outcome::Failed | Outcome::Refused(_) | Outcome::NoAnswer => DIM,
    }
}

fn paint(text: &str, colour: &str, look: Look) -> String {
    if look.colours {
        format!("{colour}{text}{PLAIN}")
    } else {
        text.to_owned()
    }
}
