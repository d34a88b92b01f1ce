use std::path::PathBuf;
use std::time::Duration;

use super::*;

/// A settings file of one test, gone with it.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("startline-{}-{name}.toml", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn from_environment(pairs: &[(&str, &str)]) -> Result<Settings, String> {
    Settings::load(None, &variables(pairs)).map_err(|error| error.to_string())
}

fn refusal_of_file(name: &str, text: &str) -> String {
    let file = File::new(name, text);
    let error = Settings::load(Some(&file.0), &[]).unwrap_err().to_string();
    error.replace(&file.0.display().to_string(), "FILE")
}

#[test]
fn the_embedded_file_has_every_key_and_nothing_else() {
    // No field of `Settings` has a default of its own and none may be unknown: that this loads is the proof.
    let settings = from_environment(&[]).unwrap();
    assert_eq!(settings.server.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.server.max_body, 32 << 20);
    assert_eq!(settings.timeouts.connect, Duration::from_secs(10));
    assert_eq!(settings.timeouts.total, None);
    assert_eq!(settings.limits.prelude_max, 64 << 20);
    assert_eq!(
        settings
            .providers
            .of(crate::vocabulary::Provider::Openai)
            .base_url
            .as_str(),
        "https://api.openai.com"
    );
    assert_eq!(settings.tls.roots, Roots::Webpki);
    assert!(settings.server.worker_count() >= 1);
}

#[test]
fn a_key_missing_from_the_embedded_file_would_be_noticed() {
    let without: String = DEFAULTS
        .lines()
        .filter(|line| !line.starts_with("heartbeat"))
        .collect::<Vec<_>>()
        .join("\n");
    let values: toml::Table = toml::from_str(&without).unwrap();
    let error = values.try_into::<Settings>().unwrap_err();
    assert!(error.to_string().contains("heartbeat"), "{error}");
}

#[test]
fn every_key_of_the_embedded_file_has_a_comment() {
    let lines: Vec<&str> = DEFAULTS.lines().collect();
    for (position, line) in lines.iter().enumerate() {
        if line.contains(" = ") && !line.starts_with('#') {
            assert!(lines[position - 1].starts_with("# "), "{line}");
        }
    }
}

#[test]
fn a_file_beats_the_defaults_and_the_environment_beats_the_file() {
    let file = File::new(
        "layers",
        "[server]\nlisten = \"0.0.0.0:1\"\nworkers = 3\n[timeouts]\ntotal = \"1h 30m\"\n",
    );
    let environment = variables(&[
        ("STARTLINE__SERVER__LISTEN", "0.0.0.0:2"),
        ("HOME", "/root"),
    ]);
    let settings = Settings::load(Some(&file.0), &environment).unwrap();
    assert_eq!(settings.server.listen.to_string(), "0.0.0.0:2");
    assert_eq!(settings.server.worker_count(), 3);
    assert_eq!(settings.timeouts.total, Some(Duration::from_secs(5_400)));
    assert_eq!(settings.timeouts.idle, Duration::from_secs(600));
}

#[test]
fn the_environment_sets_texts_numbers_and_lists() {
    let settings = from_environment(&[
        ("STARTLINE__PROVIDERS__OPENAI__API_KEY", "1234567890"),
        ("STARTLINE__PROVIDERS__OPENAI__CONCURRENCY", "7"),
        ("STARTLINE__LOG__FORMAT", "json"),
        (
            "STARTLINE__KEYS__ROUTER",
            r#"[{ key = "flex_live_1", label = "ci" }]"#,
        ),
    ])
    .unwrap();
    assert_eq!(settings.providers.openai.api_key.expose(), "1234567890");
    assert_eq!(settings.providers.openai.concurrency, 7);
    assert_eq!(settings.log.format, LogFormat::Json);
    assert_eq!(settings.keys.router[0].label, "ci");
}

#[test]
fn the_vendors_own_variables_fill_in_keys_that_are_not_set() {
    let settings = from_environment(&[
        ("OPENAI_API_KEY", "sk-vendor"),
        ("GEMINI_API_KEY", "AIza\n"),
        ("ANTHROPIC_API_KEY", "sk-ant-vendor"),
        ("STARTLINE__PROVIDERS__ANTHROPIC__API_KEY", "sk-ant-ours"),
    ])
    .unwrap();
    assert_eq!(settings.providers.openai.api_key.expose(), "sk-vendor");
    assert_eq!(settings.providers.gemini.api_key.expose(), "AIza");
    assert_eq!(settings.providers.anthropic.api_key.expose(), "sk-ant-ours");
}

#[test]
fn a_provider_key_that_no_header_can_carry_is_refused_by_its_place() {
    let error = from_environment(&[("OPENAI_API_KEY", "sk one\ntwo")]).unwrap_err();
    assert_eq!(
        error,
        "OPENAI_API_KEY: providers.openai.api_key: must be printable ASCII without spaces"
    );
    let text = refusal_of_file("unsendable", "[providers.gemini]\napi_key = \"AI za\"\n");
    assert!(
        text.starts_with("FILE: providers.gemini.api_key: must be printable"),
        "{text}"
    );
}

#[test]
fn an_unknown_key_of_a_file_is_refused_with_file_and_key() {
    let text = refusal_of_file(
        "unknown",
        "[server]\nlisten = \"0.0.0.0:1\"\nport = 8080\n[cache]\nsize = 1\n",
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(
        lines[0].starts_with("FILE: cache: unknown key; known here: catalogue, "),
        "{text}"
    );
    assert!(
        lines[1].starts_with("FILE: server.port: unknown key; known here: backlog, "),
        "{text}"
    );
}

#[test]
fn an_unknown_variable_is_refused_by_its_name() {
    let error = from_environment(&[("STARTLINE__SERVER__PORT", "1")]).unwrap_err();
    assert_eq!(
        error,
        "STARTLINE__SERVER__PORT: server.port: unknown key: config/startline.toml lists every key"
    );
    let error = from_environment(&[("STARTLINE__SERVER", "1")]).unwrap_err();
    assert_eq!(
        error,
        "STARTLINE__SERVER: server: is a section: name one of its keys"
    );
}

#[test]
fn a_bad_value_is_refused_with_place_key_and_rule() {
    let cases = [
        (
            "server",
            "listen = \"8080\"",
            "server.listen: \"8080\" must be an IP address with a port",
        ),
        (
            "server",
            "workers = \"two\"",
            "server.workers: must be a whole number, not below zero, not \"two\"",
        ),
        (
            "server",
            "workers = -1",
            "server.workers: must be a whole number, not below zero, not -1",
        ),
        (
            "server",
            "max_connections = 0",
            "server.max_connections: must be 1 to 1000000, not 0",
        ),
        (
            "server",
            "max_body = \"32MB\"",
            "server.max_body: \"32MB\" must be a whole number above zero of B, KiB",
        ),
        (
            "server",
            "bodies_in_flight = \"1KiB\"",
            "server.bodies_in_flight: must be at least server.max_body",
        ),
        (
            "timeouts",
            "idle = 600",
            "timeouts.idle: must be a text in quotes, not 600",
        ),
        (
            "timeouts",
            "idle = \"off\"",
            "timeouts.idle: \"off\" must be a duration above zero",
        ),
        ("timeouts", "total = \"never\"", "or \"off\""),
        (
            "timeouts",
            "connect = \"25h\"",
            "timeouts.connect: must be at most 24h",
        ),
        (
            "log",
            "format = \"xml\"",
            "log.format: must be one of text, json",
        ),
        (
            "log",
            "filter = \"startline=loud\"",
            "log.filter: must be levels as in",
        ),
        (
            "tls",
            "roots = \"mine\"",
            "tls.roots: must be one of webpki, platform",
        ),
        (
            "providers.openai",
            "base_url = \"api.openai.com\"",
            "providers.openai.base_url: must be http:// or https://",
        ),
        (
            "providers.gemini",
            "base_url = \"https://h/v1beta\"",
            "the router adds that part",
        ),
        (
            "providers.openai",
            "concurrency = 0",
            "providers.openai.concurrency: must be 1 to 100000, not 0",
        ),
    ];
    for (section, line, expected) in cases {
        let text = refusal_of_file("bad", &format!("[{section}]\n{line}\n"));
        assert!(text.starts_with("FILE: "), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_bad_value_of_a_variable_is_refused_by_the_variables_name() {
    let error = from_environment(&[("STARTLINE__TIMEOUTS__IDLE", "600")]).unwrap_err();
    assert!(
        error.starts_with("STARTLINE__TIMEOUTS__IDLE: timeouts.idle: \"600\" must be a duration"),
        "{error}"
    );
    let error = from_environment(&[("STARTLINE__SERVER__WORKERS", "9999")]).unwrap_err();
    assert_eq!(
        error,
        "STARTLINE__SERVER__WORKERS: server.workers: must be 0 to 1024, not 9999"
    );
    let error = from_environment(&[("STARTLINE__SERVER__WORKERS", "many")]).unwrap_err();
    assert!(error.contains("must be a TOML value"), "{error}");
}

#[test]
fn several_bad_values_are_told_at_one_time() {
    let text = refusal_of_file(
        "several",
        "[server]\nbacklog = 0\nmax_connections = 0\n[limits]\nbody_channel = 0\n",
    );
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn no_secret_is_shown_in_an_error_or_by_debug() {
    let cases = [
        "[providers.openai]\napi_key = 8675309\n",
        "[keys]\nrouter = [\"flex_live_8675309\"]\n",
        "[keys]\nrouter = [{ key = \"flex_live_8675309\", sha256 = \"x\" }]\n",
        "[keys]\nrouter = \"flex_live_8675309\"\n",
        "[providers.openai]\napi_key = \"8675309\n",
    ];
    for text in cases {
        let refusal = refusal_of_file("secret", text);
        assert!(!refusal.contains("8675309"), "{refusal}");
    }
    let settings = from_environment(&[("OPENAI_API_KEY", "8675309")]).unwrap();
    assert!(!format!("{settings:?}").contains("8675309"));
}

#[test]
fn a_router_key_is_either_plain_or_a_hash() {
    let good = format!(
        "[keys]\nrouter = [{{ sha256 = \"{}\", start_within = \"00h-01m-00s\" }}]\n",
        "a".repeat(64)
    );
    let file = File::new("router-key", &good);
    let settings = Settings::load(Some(&file.0), &[]).unwrap();
    assert_eq!(
        settings.keys.router[0].start_within.as_deref(),
        Some("00h-01m-00s")
    );
    for bad in ["{ label = \"x\" }", "{ key = \"k\", sha256 = \"h\" }"] {
        let text = refusal_of_file("router-key-bad", &format!("[keys]\nrouter = [{bad}]\n"));
        assert!(
            text.contains("keys.router.0: must have either key or sha256"),
            "{text}"
        );
    }
    let text = refusal_of_file(
        "router-key-hash",
        "[keys]\nrouter = [{ sha256 = \"abc\" }]\n",
    );
    assert!(text.contains("sha256 must be 64 hex digits"), "{text}");
    let text = refusal_of_file(
        "router-key-unknown",
        "[keys]\nrouter = [{ key = \"k\", name = \"x\" }]\n",
    );
    assert!(text.contains("keys.router.0"), "{text}");
}

#[test]
fn a_file_that_is_not_there_or_not_toml_is_refused_by_its_name() {
    let error = Settings::load(Some(Path::new("/no/such/startline.toml")), &[]).unwrap_err();
    assert!(
        error.to_string().starts_with("/no/such/startline.toml: "),
        "{error}"
    );
    let text = refusal_of_file("broken", "[server]\nlisten = \n");
    assert!(text.starts_with("FILE: line 2: not TOML: "), "{text}");
}
