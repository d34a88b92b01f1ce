//! Bodies that are no JSON object, or too large, or encoded.

use super::MAX_BODY;
use super::draft::{Bad, CHAT, Draft, ENDPOINTS, INTERACTIONS, MESSAGES, RESPONSES};

pub fn table() -> Vec<Bad> {
    let mut rows = Vec::new();
    rows.extend(not_json());
    rows.extend(nested());
    rows.extend(duplicates());
    rows.extend(too_large());
    rows.extend(encoded());
    rows
}

fn not_json() -> Vec<Bad> {
    let good = Draft::of(RESPONSES).json();
    let mut broken: Vec<(&str, Vec<u8>)> = vec![
        ("an empty body", Vec::new()),
        ("blanks", b" \r\n\t".to_vec()),
        ("null", b"null".to_vec()),
        ("an array", format!("[{good}]").into_bytes()),
        ("a number", b"1".to_vec()),
        ("a string", b"\"model\"".to_vec()),
        (
            "a body without its end",
            good.as_bytes()[..good.len() - 1].to_vec(),
        ),
        ("a trailing comma", good.replace('}', ",}").into_bytes()),
        ("two objects", format!("{good}{good}").into_bytes()),
        (
            "something after the object",
            format!("{good} x").into_bytes(),
        ),
        ("single quotes", good.replace('"', "'").into_bytes()),
        ("a comment", good.replacen('{', "{/* */", 1).into_bytes()),
        ("a form", b"model=gpt-5.5&start_within=default".to_vec()),
        ("a byte order mark", format!("\u{feff}{good}").into_bytes()),
        ("a NUL", format!("\0{good}").into_bytes()),
        (
            "UTF-16",
            good.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
    ];
    let values: [(&str, &[u8]); 17] = [
        ("NaN", b"NaN"),
        ("Infinity", b"-Infinity"),
        ("a leading zero", b"01"),
        ("a bare point", b".5"),
        ("a point without digits", b"5."),
        ("an exponent without digits", b"5e"),
        ("a plus", b"+5"),
        ("hexadecimal", b"0x10"),
        ("True", b"True"),
        ("nothing", b""),
        ("a raw line end", b"\"a\nb\""),
        ("an unknown escape", b"\"\\x41\""),
        ("a short escape", b"\"\\u12\""),
        ("a lone byte", b"\"\xff\""),
        ("an overlong slash", b"\"\xc0\xaf\""),
        ("a surrogate in UTF-8", b"\"\xed\xa0\x80\""),
        ("a cut character", b"\"\xe2\x82\""),
    ];
    for (name, value) in values {
        let marked = Draft::of(RESPONSES).with("x", "@").json();
        let at = marked.find('@').unwrap_or_default();
        let parts = [
            &marked.as_bytes()[..at],
            value,
            &marked.as_bytes()[at + 1..],
        ];
        broken.push((name, parts.concat()));
    }
    let row = |(place, (name, body)): (usize, (&str, Vec<u8>))| {
        Bad::new(
            name,
            ENDPOINTS[place % ENDPOINTS.len()],
            400,
            "invalid_json",
        )
        .body(body)
    };
    broken.into_iter().enumerate().map(row).collect()
}

/// The object itself is the first level.
pub fn nested_json(levels: usize) -> String {
    let inner = levels - 1;
    let arrays = format!("{}{}", "[".repeat(inner), "]".repeat(inner));
    Draft::of(RESPONSES).with("metadata", &arrays).json()
}

fn nested() -> Vec<Bad> {
    let mut rows: Vec<Bad> = [129, 1_000, 100_000]
        .into_iter()
        .map(|levels| {
            let name = format!("{levels} levels of arrays");
            Bad::new(name, RESPONSES, 400, "invalid_json")
                .body(nested_json(levels))
                .says("128")
        })
        .collect();
    let objects = format!("{}1{}", "{\"a\":".repeat(1_000), "}".repeat(1_000));
    let draft = Draft::of(MESSAGES).with("metadata", &objects);
    rows.push(
        Bad::new("1,000 levels of objects", MESSAGES, 400, "invalid_json").body(draft.json()),
    );
    rows.push(
        Bad::new("brackets that never close", CHAT, 400, "invalid_json").body("[".repeat(200_000)),
    );
    let open = format!("{{\"a\":{}", "[{\"a\":".repeat(20_000));
    rows.push(
        Bad::new(
            "objects that never close",
            INTERACTIONS,
            400,
            "invalid_json",
        )
        .body(open),
    );
    let many: String = (0..5_000)
        .map(|number| format!(",\"f{number}\":1"))
        .collect();
    let body = Draft::of(RESPONSES)
        .json()
        .replace('}', &format!("{many}}}"));
    rows.push(
        Bad::new("5,000 fields", RESPONSES, 400, "invalid_json")
            .body(body)
            .says("4,096"),
    );
    rows
}

fn duplicates() -> Vec<Bad> {
    let twice = [
        ("model", "model", "\"gpt-5.5\""),
        ("model", "mod\\u0065l", "\"gpt-5.4\""),
        ("model", "\\u006d\\u006F\\u0064\\u0065\\u006c", "null"),
        ("start_within", "start_within", "\"default\""),
        ("start_within", "start\\u005fwithin", "\"priority\""),
        ("stream", "str\\u0065am", "true"),
        ("stream", "stream", "true"),
        ("retry", "retry", "{\"count\":1}"),
        ("retry", "r\\u0065try", "{\"count\":1}"),
        ("provider", "pr\\u006fvider", "[\"openai\"]"),
        ("include_cost", "include\\u005Fcost", "true"),
    ];
    let row = |(place, (field, again, value)): (usize, (&'static str, &str, &str))| {
        let path = ENDPOINTS[place % ENDPOINTS.len()];
        let usual = match field {
            "stream" | "include_cost" => "false",
            "retry" => "{\"count\":2}",
            "provider" => "[\"anthropic\"]",
            _ => "",
        };
        let mut draft = Draft::of(path);
        if !usual.is_empty() {
            draft = draft.with(field, usual);
        }
        let body = draft.and(again, value).json();
        Bad::new(format!("{field} and {again}"), path, 400, "invalid_json")
            .body(body)
            .says("twice")
    };
    twice.into_iter().enumerate().map(row).collect()
}

fn too_large() -> Vec<Bad> {
    let mut rows = Vec::new();
    for path in ENDPOINTS {
        let row = Bad::new("one byte over the limit", path, 413, "request_too_large");
        rows.push(row.body(of_size(path, MAX_BODY + 1)));
    }
    // The length alone is enough: nothing of the body has to come.
    let announced = Bad::new(
        "a length that is over the limit",
        RESPONSES,
        413,
        "request_too_large",
    );
    rows.push(
        announced
            .header("content-length", (MAX_BODY + 1).to_string())
            .body(""),
    );
    let chunked = Bad::new("one byte over, in chunks", CHAT, 413, "request_too_large");
    let body = in_chunks(&of_size(CHAT, MAX_BODY + 1), 8_192);
    rows.push(chunked.header("transfer-encoding", "chunked").body(body));
    rows
}

/// A good body of exactly this size.
pub fn of_size(path: &str, size: usize) -> Vec<u8> {
    let empty = Draft::of(path).with("user", "\"\"").json();
    let padding = format!("\"{}\"", "x".repeat(size - empty.len()));
    Draft::of(path).with("user", &padding).json().into_bytes()
}

pub fn in_chunks(body: &[u8], size: usize) -> Vec<u8> {
    let mut framed = Vec::new();
    for piece in body.chunks(size) {
        framed.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        framed.extend_from_slice(piece);
        framed.extend_from_slice(b"\r\n");
    }
    framed.extend_from_slice(b"0\r\n\r\n");
    framed
}

fn encoded() -> Vec<Bad> {
    let encodings = [
        "gzip",
        "br",
        "deflate",
        "zstd",
        "GZIP",
        "identity, gzip",
        "x",
    ];
    let row = |(place, encoding): (usize, &str)| {
        let path = ENDPOINTS[place % ENDPOINTS.len()];
        Bad::new(
            format!("content-encoding {encoding}"),
            path,
            415,
            "unsupported_content_encoding",
        )
        .header("content-encoding", encoding)
        // The first bytes of any gzip file: not even read.
        .body(&b"\x1f\x8b\x08\x00"[..])
    };
    encodings.into_iter().enumerate().map(row).collect()
}
