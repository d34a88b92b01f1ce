//! A provider's answer that stops at any byte is never shown as whole: streamed and in one piece, in every framing, by
//! FIN and by RST, of the settled tier and of flex. That is about 57,000 answers.

use std::time::Instant;

use futures::StreamExt;
use serde_json::{Value, json};

use crate::calls::{Call, Endpoint};
use crate::client::Answer;
use crate::events::{Ending, ending, failure_of_ours};
use crate::rig::{MACHINE, Rig};

/// Requests at the same time.
const AT_ONCE: usize = 64;

/// One kind of answer.
#[derive(Debug, Clone)]
struct Row {
    endpoint: Endpoint,
    /// Whether the caller has it streamed.
    streamed: bool,
    /// Whether flex gives it.
    flex: bool,
    framing: &'static str,
    how: &'static str,
}

/// What the caller of a cut answer has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// A whole answer, as if nothing had been cut.
    Success,
    /// A failure.
    Failure,
    /// A whole answer of standard, which flex was given up for.
    Standard,
}

impl Row {
    fn call(&self, behaviour: &Value) -> Call {
        let mut call = Call::new(self.endpoint).streamed(self.streamed);
        if self.flex {
            call = call.raced();
        }
        let is_openai = matches!(self.endpoint, Endpoint::Responses | Endpoint::Chat);
        if self.streamed && is_openai {
            call = call.field("stream_options", json!({"include_obfuscation": false}));
        }
        let side = if self.flex { "flex" } else { "settled" };
        let mut script = json!({"settled": {"text": "STANDARD"}});
        script[side] = behaviour.clone();
        call.scripted(script)
    }

    /// A short answer whose bytes are of the same number each time.
    fn behaviour(&self) -> Value {
        let mut behaviour = json!({"text": "ANSWER", "framing": self.framing, "usage": {"input": 10, "output": 10}});
        if self.flex && self.endpoint != Endpoint::Interactions {
            // Nothing in it is padded at random, as deltas are.
            behaviour["content"] = json!("delta_less_tool_call");
        }
        behaviour
    }

    fn cut(&self, at: usize) -> Value {
        let mut behaviour = self.behaviour();
        behaviour["cut"] = json!({"at": at, "how": self.how});
        behaviour
    }

    /// The bytes of the provider's answer, and of its part up to the end of its last word.
    async fn lengths(&self, rig: &Rig) -> (usize, usize) {
        let mut known = None;
        for _ in 0..4 {
            rig.simulator.clear();
            let answer = self.call(&self.behaviour()).answer(rig).await;
            let text = rig.last_sent_body().await;
            let lengths = (text.len(), self.end_of_last_word(&text));
            assert_eq!(*known.get_or_insert(lengths), lengths, "{self:?}");
            assert_eq!(self.shown(&answer), self.uncut(), "{self:?}");
        }
        known.unwrap()
    }

    /// What an answer shows that is whole. awc reads no body whose length is told only by the end of the connection.
    fn uncut(&self) -> Shown {
        match self.framing {
            "close" => Shown::Failure,
            _ => Shown::Success,
        }
    }

    fn end_of_last_word(&self, body: &str) -> usize {
        if !self.streamed && !self.flex {
            return body.len();
        }
        let last_word = match self.endpoint {
            Endpoint::Interactions => "event: interaction.completed\n",
            _ => "data: ",
        };
        let start = body.rfind(last_word).unwrap();
        let data = start + body[start..].find("data: ").unwrap();
        data + body[data..].find('\n').unwrap()
    }

    /// Reads an answer with distrust.
    fn shown(&self, answer: &Answer) -> Shown {
        let text = answer.text();
        match (answer.status, answer.is_whole) {
            (502, true) => {
                let code = &answer.json()["error"]["flexinference"]["code"];
                let lost = self.how == "rst" && *code == "upstream_connection_lost";
                assert!(
                    lost || *code == "upstream_stream_failed",
                    "{self:?}: {text}"
                );
                Shown::Failure
            }
            (200, true) if self.streamed => match ending(self.endpoint, &text) {
                Ending::Complete => self.success(answer, &text),
                Ending::Failed(_) => {
                    failure_of_ours(self.endpoint, &text);
                    Shown::Failure
                }
                Ending::Open => panic!("{self:?}: ends without a last word: {text}"),
            },
            (200, true) => self.success(answer, &text),
            _ => panic!("{self:?}: {answer:?}"),
        }
    }

    fn success(&self, answer: &Answer, text: &str) -> Shown {
        if self.flex && answer.header("x-flexinference-flex-applied") == Some("false") {
            assert!(
                text.contains("STANDARD") && !text.contains("ANSWER"),
                "{text}"
            );
            return Shown::Standard;
        }
        assert!(!text.contains("STANDARD"), "{self:?}: {text}");
        Shown::Success
    }
}

/// Cuts the answer of a row at every place; gives the number of cuts.
async fn cut_everywhere(rig: &Rig, row: &Row) -> usize {
    let (length, end_of_last_word) = row.lengths(rig).await;
    let places: Vec<usize> = (0..end_of_last_word).collect();
    let mut shown = Vec::new();
    for some in places.chunks(AT_ONCE * 16) {
        // What the provider noted down of thousands of requests is nothing to keep.
        rig.simulator.clear();
        shown.extend(shown_at(rig, row, some).await);
    }
    for (at, shown) in &shown {
        assert_ne!(
            *shown,
            Shown::Success,
            "{row:?} at {at} of {end_of_last_word}"
        );
    }
    if row.how == "fin" {
        check_order(row, &shown);
        // Behind the last word only line ends are missing: the answer is whole.
        let behind: Vec<usize> = (end_of_last_word..length).collect();
        for (at, shown) in shown_at(rig, row, &behind).await {
            assert_eq!(shown, Shown::Success, "{row:?} at {at}");
        }
    }
    shown.len()
}

async fn shown_at(rig: &Rig, row: &Row, places: &[usize]) -> Vec<(usize, Shown)> {
    let cuts = places.iter().map(async |at| {
        let answer = row.call(&row.cut(*at)).answer(rig).await;
        (*at, row.shown(&answer))
    });
    futures::stream::iter(cuts)
        .buffered(AT_ONCE)
        .collect()
        .await
}

/// A race is lost by a cut before the start proof, and never by one behind it.
fn check_order(row: &Row, shown: &[(usize, Shown)]) {
    let first_failure = shown.iter().position(|(_, shown)| *shown == Shown::Failure);
    let lost = shown
        .iter()
        .filter(|(_, shown)| *shown == Shown::Standard)
        .count();
    assert_eq!(first_failure, Some(lost), "{row:?}");
    assert_eq!(lost > 0, row.flex, "{row:?}");
}

async fn cut_all(rows: Vec<Row>) {
    let _machine = MACHINE.lock().await;
    let started = Instant::now();
    let rig = Rig::start().await;
    let mut cuts = 0;
    for row in &rows {
        cuts += cut_everywhere(&rig, row).await;
    }
    eprintln!(
        "{cuts} cuts in {} kinds of answers, {:?}",
        rows.len(),
        started.elapsed()
    );
    rig.settle().await;
}

fn rows(endpoints: &[Endpoint], streamed: bool, flex: bool, framings: &[&'static str]) -> Vec<Row> {
    let mut rows = Vec::new();
    for endpoint in endpoints {
        for framing in framings {
            rows.extend(["fin", "rst"].map(|how| Row {
                endpoint: *endpoint,
                streamed,
                flex,
                framing,
                how,
            }));
        }
    }
    rows
}

#[actix_web::test]
async fn a_stream_cut_at_any_byte_is_no_success() {
    cut_all(rows(&Endpoint::ALL, true, false, &["chunked"])).await;
}

#[actix_web::test]
async fn a_document_cut_at_any_byte_is_no_success() {
    cut_all(rows(
        &Endpoint::ALL,
        false,
        false,
        &["length", "chunked", "close"],
    ))
    .await;
}

#[actix_web::test]
async fn a_stream_of_flex_cut_at_any_byte_is_no_success() {
    cut_all(rows(&Endpoint::RACED, true, true, &["chunked"])).await;
}

#[actix_web::test]
async fn a_stream_of_flex_cut_at_any_byte_is_never_put_together() {
    cut_all(rows(&Endpoint::RACED, false, true, &["chunked"])).await;
}
