//! How much reading a stream costs; the figures that count are those of
//! `cargo test --release --lib wire::tests::speed -- --nocapture`.

use std::hint::black_box;
use std::time::Instant;

use bytes::Bytes;
use startline_actors::leg::{Ending, Progress};

use crate::vocabulary::ProviderSurface;
use crate::wire::dialect;
use crate::wire::sse::EVENT_MAX;
use crate::wire::usage::UsageCollector;

const EVENTS: usize = 64;
const BATCHES: u32 = 30;
const BATCH: u32 = 10;
/// Far above what even a build without optimisation needs, far below what a caller would notice.
const BOUND: f64 = 50_000.0;

fn responses_stream() -> Vec<Bytes> {
    let mut events = Vec::with_capacity(EVENTS);
    for number in 0..EVENTS {
        let (kind, body) = match number {
            0 => (
                "response.created",
                "\"response\":{\"id\":\"resp_1\",\"usage\":null}",
            ),
            1 => (
                "response.output_item.added",
                "\"output_index\":0,\"item\":{\"id\":\"msg_1\"}",
            ),
            _ if number == EVENTS - 1 => (
                "response.completed",
                "\"response\":{\"usage\":{\"input_tokens\":1}}",
            ),
            _ => (
                "response.output_text.delta",
                "\"item_id\":\"msg_0050471a34b36ae60068c97b94a480819587a9d70cf2979b33\",\"output_index\":0,\
                 \"content_index\":0,\"delta\":\" some words\",\"logprobs\":[],\"obfuscation\":\"Zarov0xJhP\"",
            ),
        };
        let json = format!("{{\"type\":\"{kind}\",\"sequence_number\":{number},{body}}}");
        events.push(Bytes::from(format!("event: {kind}\ndata: {json}\n\n")));
    }
    events
}

/// The best of many short batches, so that a busy machine does not count.
fn nanoseconds_per_event(mut read_once: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..BATCHES {
        let started = Instant::now();
        for _ in 0..BATCH {
            read_once();
        }
        best = best.min(started.elapsed().as_secs_f64());
    }
    best * 1e9 / f64::from(BATCH) / EVENTS as f64
}

fn read_stream(chunks: &[Bytes]) {
    let mut reader = dialect(ProviderSurface::OpenaiResponses).reader(true, EVENT_MAX);
    for chunk in chunks {
        let reading = reader.read(black_box(chunk.clone()));
        assert_ne!(reading.progress, Progress::Oversized);
        black_box(reading);
    }
    assert_eq!(reader.end(), Ending::Complete);
}

fn collect_usage(events: &[Bytes]) {
    let mut collector = UsageCollector::new(ProviderSurface::OpenaiResponses);
    for event in events {
        collector.read(black_box(event));
    }
    assert!(collector.measured().is_some());
}

#[test]
fn reading_a_stream_of_64_events() {
    let events = responses_stream();
    let whole = events.concat();
    let one = [Bytes::from(whole.clone())];
    let odd: Vec<Bytes> = whole.chunks(100).map(Bytes::copy_from_slice).collect();
    let figures = [
        (
            "one event a chunk",
            nanoseconds_per_event(|| read_stream(&events)),
        ),
        (
            "all in one chunk",
            nanoseconds_per_event(|| read_stream(&one)),
        ),
        (
            "chunks of 100 bytes",
            nanoseconds_per_event(|| read_stream(&odd)),
        ),
        (
            "usage collector",
            nanoseconds_per_event(|| collect_usage(&events)),
        ),
    ];
    for (name, nanoseconds) in figures {
        println!("{name:<20} {nanoseconds:6.0} ns an event");
        assert!(nanoseconds < BOUND, "{name}: {nanoseconds} ns an event");
    }
}
