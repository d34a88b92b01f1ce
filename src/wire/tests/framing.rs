//! The framer against a naive one that goes byte by byte, with random line ends, comments, fields and splits.

use bytes::Bytes;

use crate::wire::event::Event;
use crate::wire::sse::{EVENT_MAX, Framer};

/// A small deterministic generator (xorshift), so that a failing case can be run again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("a small number")
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

type Fields = (Option<String>, Option<String>);

/// The rules of the event stream format as the standard writes them down: first lines, then fields.
fn naive_events(stream: &str) -> Vec<Fields> {
    let text = stream.strip_prefix('\u{feff}').unwrap_or(stream);
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut events = Vec::new();
    let mut fields: Fields = (None, None);
    for line in unified
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
    {
        if line.is_empty() {
            events.push(std::mem::take(&mut fields));
            continue;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        match name {
            "event" => fields.0 = Some(value),
            "data" => fields.1 = Some(fields.1.map_or(value.clone(), |data| data + "\n" + &value)),
            _ => {}
        }
    }
    events.retain(|(_, data)| data.is_some());
    events
}

fn random_stream(dice: &mut Dice) -> String {
    let lines = [
        "data: one",
        "data:two",
        "data",
        "data:",
        "data:  three",
        "event: name",
        "event:",
        ": comment",
        "id: 7",
        "retry: 1",
        "unknown",
        "data: {\"a\":\":b\"}",
        "data: ünï⚓",
        "database: no",
        "",
    ];
    let mut stream = String::new();
    if dice.below(4) == 0 {
        stream.push('\u{feff}');
    }
    for _ in 0..dice.below(24) {
        stream += dice.pick(&lines);
        stream += dice.pick(&["\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\r\r"]);
    }
    stream
}

fn event_of(block: &[u8]) -> Option<Fields> {
    let event = Event::parse(block);
    let data = String::from_utf8(event.data?.into_owned()).expect("text");
    let name = event
        .name
        .map(|name| String::from_utf8(name.to_vec()).expect("text"));
    Some((name, Some(data)))
}

#[test]
fn random_streams_give_the_events_of_the_naive_framer_however_they_are_split() {
    let mut dice = Dice(0x5eed_1234_abcd_0001);
    for round in 0..20_000 {
        let stream = random_stream(&mut dice);
        let mut framer = Framer::new(EVENT_MAX);
        let mut events = Vec::new();
        let mut given_back = Vec::new();
        let mut rest = stream.as_bytes();
        while !rest.is_empty() {
            let most = if dice.below(2) == 0 { 3 } else { rest.len() };
            let (piece, after) = rest.split_at(1 + dice.below(most.min(rest.len())));
            let framed = framer.push(Bytes::copy_from_slice(piece), |block| {
                events.extend(event_of(block))
            });
            given_back.extend_from_slice(&framed.whole);
            rest = after;
        }
        assert_eq!(events, naive_events(&stream), "round {round}: {stream:?}");
        given_back.extend_from_slice(&framer.take_tail());
        assert_eq!(given_back, stream.as_bytes(), "round {round}");
    }
}

#[test]
fn a_chunk_that_ends_on_a_border_comes_back_as_it_is() {
    let chunk = Bytes::from_static(b"data: a\n\ndata: b\n\n");
    let framed = Framer::new(EVENT_MAX).push(chunk.clone(), |_| {});
    assert_eq!(framed.whole.as_ptr(), chunk.as_ptr());
    assert_eq!(framed.whole.len(), chunk.len());
}

#[test]
fn whole_events_before_an_unfinished_one_are_given_back_without_a_copy() {
    let chunk = Bytes::from_static(b"data: a\n\ndata: b");
    let mut framer = Framer::new(EVENT_MAX);
    let framed = framer.push(chunk.clone(), |_| {});
    assert_eq!(framed.whole.as_ptr(), chunk.as_ptr());
    assert_eq!(framed.whole, "data: a\n\n");
    assert_eq!(framer.tail(), b"data: b");
}

#[test]
fn an_event_of_the_bound_passes_and_one_byte_more_does_not_however_it_is_split() {
    let event = b"data: 45678\n\n";
    for split in 0..event.len() {
        let passes = pushed_in_two(event.len(), event, split);
        assert_eq!(passes, (event.to_vec(), false), "split at {split}");
        let outgrown = pushed_in_two(event.len() - 1, event, split);
        assert_eq!(outgrown, (Vec::new(), true), "split at {split}");
    }
}

fn pushed_in_two(event_max: usize, stream: &[u8], split: usize) -> (Vec<u8>, bool) {
    let mut framer = Framer::new(event_max);
    let (first, second) = stream.split_at(split);
    let before = framer.push(Bytes::copy_from_slice(first), |_| {});
    let after = framer.push(Bytes::copy_from_slice(second), |_| {});
    ([before.whole, after.whole].concat(), after.oversized)
}

#[test]
fn nothing_comes_after_an_event_that_outgrew_its_bound() {
    let mut framer = Framer::new(8);
    let framed = framer.push(
        Bytes::from_static(b"data\n\ndata: much\n\ndata\n\n"),
        |_| {},
    );
    assert_eq!(
        (framed.whole.as_ref(), framed.oversized),
        (b"data\n\n".as_slice(), true)
    );
    let later = framer.push(Bytes::from_static(b"data\n\n"), |_| {});
    assert_eq!(
        (later.whole.as_ref(), later.oversized),
        (b"".as_slice(), true)
    );
}
