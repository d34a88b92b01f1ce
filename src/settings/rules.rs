//! Rules that a type cannot say: ranges of numbers, and what a router key must consist of.

use std::time::Duration;

use tracing_subscriber::EnvFilter;

use super::schema::{ProviderSettings, RouterKey, Settings};

const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// actix-web reads the time every half second: below this a head that comes at once may be too late already.
const SHORTEST_ON_CONNECTIONS: Duration = Duration::from_secs(1);
const SHORTEST_START_WITHIN: Duration = Duration::from_secs(5);

/// Every broken rule, as key and rule.
pub(super) fn broken(settings: &Settings) -> Vec<(String, String)> {
    let mut found = Vec::new();
    numbers(settings, &mut found);
    durations(settings, &mut found);
    for (name, provider) in providers(settings) {
        range(
            &mut found,
            &format!("providers.{name}.concurrency"),
            provider.concurrency as u64,
            1,
            100_000,
        );
    }
    for (position, key) in settings.keys.router.iter().enumerate() {
        router_key(&mut found, position, key);
    }
    if let Err(error) = EnvFilter::try_new(&settings.log.filter) {
        found.push((
            "log.filter".to_owned(),
            format!("must be levels as in \"info,startline=debug\": {error}"),
        ));
    }
    if settings.server.bodies_in_flight < settings.server.max_body {
        let rule = "must be at least server.max_body: one body must fit".to_owned();
        found.push(("server.bodies_in_flight".to_owned(), rule));
    }
    found
}

fn numbers(settings: &Settings, found: &mut Vec<(String, String)>) {
    let server = &settings.server;
    let limits = &settings.limits;
    range(found, "server.workers", server.workers as u64, 0, 1_024);
    range(
        found,
        "server.max_connections",
        server.max_connections as u64,
        1,
        1_000_000,
    );
    range(found, "server.backlog", server.backlog.into(), 1, 65_535);
    range(
        found,
        "limits.body_channel",
        limits.body_channel as u64,
        1,
        1_024,
    );
    range(
        found,
        "limits.auth_failures_per_minute",
        limits.auth_failures_per_minute.into(),
        1,
        1_000_000,
    );
    range(
        found,
        "limits.org_requests_per_second",
        limits.org_requests_per_second.into(),
        0,
        1_000_000,
    );
    range(
        found,
        "log.waiting_lines",
        settings.log.waiting_lines as u64,
        1,
        10_000_000,
    );
    range(
        found,
        "pool.max_waiting",
        settings.pool.max_waiting as u64,
        0,
        1_000_000,
    );
}

fn durations(settings: &Settings, found: &mut Vec<(String, String)>) {
    let server = &settings.server;
    let timeouts = &settings.timeouts;
    let pool = &settings.pool;
    let all = [
        ("server.body_timeout", Some(server.body_timeout)),
        ("server.keep_alive", Some(server.keep_alive)),
        ("server.head_timeout", Some(server.head_timeout)),
        ("server.shutdown_timeout", Some(server.shutdown_timeout)),
        ("timeouts.connect", Some(timeouts.connect)),
        ("timeouts.response_head", Some(timeouts.response_head)),
        (
            "timeouts.response_head_whole",
            Some(timeouts.response_head_whole),
        ),
        ("timeouts.idle", Some(timeouts.idle)),
        ("timeouts.total", timeouts.total),
        ("timeouts.heartbeat", Some(timeouts.heartbeat)),
        ("pool.max_wait", Some(pool.max_wait)),
        ("pool.keep_alive", Some(pool.keep_alive)),
        ("pool.lifetime", Some(pool.lifetime)),
    ];
    for (key, duration) in all {
        if duration.is_some_and(|duration| duration > LONGEST) {
            found.push((key.to_owned(), "must be at most 24h".to_owned()));
        }
    }
    let ahead = pool.connect_ahead.unwrap_or_default();
    if ahead > SHORTEST_START_WITHIN {
        found.push((
            "pool.connect_ahead".to_owned(),
            "must be at most 5s, the shortest start_within, or \"off\"".to_owned(),
        ));
    }
    if ahead > pool.keep_alive {
        found.push((
            "pool.connect_ahead".to_owned(),
            "must be at most pool.keep_alive, or the connection is closed before it is needed"
                .to_owned(),
        ));
    }
    for (key, duration) in [
        ("server.head_timeout", server.head_timeout),
        ("server.keep_alive", server.keep_alive),
    ] {
        if duration < SHORTEST_ON_CONNECTIONS {
            found.push((key.to_owned(), "must be at least 1s".to_owned()));
        }
    }
}

fn providers(settings: &Settings) -> [(&'static str, &ProviderSettings); 3] {
    let providers = &settings.providers;
    [
        ("openai", &providers.openai),
        ("gemini", &providers.gemini),
        ("anthropic", &providers.anthropic),
    ]
}

fn router_key(found: &mut Vec<(String, String)>, position: usize, key: &RouterKey) {
    let mut refuse = |rule: &str| found.push((format!("keys.router.{position}"), rule.to_owned()));
    match (&key.key, &key.sha256) {
        (Some(plain), None) if plain.is_empty() => refuse("key must not be empty"),
        (None, Some(hash)) if !is_sha256(hash) => refuse("sha256 must be 64 hex digits"),
        (Some(_), None) | (None, Some(_)) => {}
        _ => refuse(
            "must have either key or sha256, as in { key = \"flex_live_…\", label = \"ci\" }",
        ),
    }
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|letter| letter.is_ascii_hexdigit())
}

fn range(found: &mut Vec<(String, String)>, key: &str, value: u64, least: u64, most: u64) {
    if value < least || value > most {
        found.push((
            key.to_owned(),
            format!("must be {least} to {most}, not {value}"),
        ));
    }
}
