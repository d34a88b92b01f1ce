//! How many answers a second the simulator gives; a figure, not a claim.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use startline_load::simulator::{Options, Simulator};

use crate::client::{parse, request, surfaces, usual_headers};

const CONNECTIONS: usize = 32;
const FOR: Duration = Duration::from_millis(500);

#[test]
fn answers_a_second_are_printed() {
    let options = Options {
        record: false,
        ..Options::default()
    };
    let simulator = Simulator::start(options).unwrap();
    for (path, body) in surfaces(false) {
        let bytes = request(path, usual_headers(path), &body.to_string());
        let mut streams: Vec<TcpStream> = (0..CONNECTIONS)
            .map(|_| TcpStream::connect(simulator.address()).unwrap())
            .collect();
        let mut buffer = vec![0; 64 * 1024];
        let (begun, mut answers) = (Instant::now(), 0);
        while begun.elapsed() < FOR {
            streams
                .iter_mut()
                .for_each(|stream| stream.write_all(bytes.as_bytes()).unwrap());
            for stream in &mut streams {
                let count = stream.read(&mut buffer).unwrap();
                assert!(
                    parse(&buffer[..count]).whole,
                    "an answer comes in one write"
                );
                answers += 1;
            }
        }
        println!(
            "{path}: {:.0} answers a second",
            f64::from(answers) / begun.elapsed().as_secs_f64()
        );
    }
    assert!(simulator.seen().is_empty());
}
