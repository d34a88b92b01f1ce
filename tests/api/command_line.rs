//! The command line from outside: exit statuses, texts, and where a first key goes.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;
use startline_load::simulator::{Options, Simulator};

use crate::client::{Connection, request};
use crate::process::{Scratch, Serving, new_key, run, serve, startline};

fn check_config(scratch: &Scratch, text: &str) -> (i32, String, String) {
    let file = scratch.file("startline.toml", text);
    run(startline(&["check-config", "--config"]).arg(file))
}

#[test]
fn check_config_says_what_is_set_and_ends_with_0() {
    let (status, printed, log) = run(&mut startline(&["check-config"]));
    assert_eq!((status, log.as_str()), (0, ""));
    assert!(printed.contains("The settings are good."), "{printed}");
    let scratch = Scratch::new();
    let text = format!(
        "[server]\nlisten = \"127.0.0.1:9999\"\n[providers.openai]\napi_key = \"sk-canary\"\n\
         [keys]\nrouter = [{{ key = \"{}\" }}]\n",
        new_key()
    );
    let (status, printed, _) = check_config(&scratch, &text);
    assert_eq!(status, 0, "{printed}");
    assert!(
        printed.contains("127.0.0.1:9999") && printed.contains("has a key"),
        "{printed}"
    );
    assert!(!printed.contains("canary"), "{printed}");
}

/// Settings that are refused, with what the text names: key and rule.
const REFUSED: [(&str, &[&str]); 21] = [
    (
        "[server]\nlisen = \"127.0.0.1:1\"",
        &["server.lisen", "unknown key", "listen"],
    ),
    (
        "[sever]\nlisten = \"127.0.0.1:1\"",
        &["sever", "unknown key", "server"],
    ),
    (
        "[providers.mistral]\napi_key = \"canary\"",
        &["providers.mistral", "unknown key"],
    ),
    (
        "[server]\nlisten = \"localhost\"",
        &["server.listen", "IP address with a port"],
    ),
    (
        "[server]\nlisten = 8080",
        &["server.listen", "text in quotes"],
    ),
    (
        "[server]\nworkers = -1",
        &["server.workers", "not below zero"],
    ),
    (
        "[server]\nworkers = 100000",
        &["server.workers", "0 to 1024"],
    ),
    (
        "[server]\nmax_body = \"32MB\"",
        &["server.max_body", "32MiB"],
    ),
    (
        "[server]\nmax_body = \"2GiB\"",
        &["server.bodies_in_flight", "one body must fit"],
    ),
    (
        "[server]\nbody_timeout = \"60\"",
        &["server.body_timeout", "with its unit"],
    ),
    (
        "[timeouts]\nidle = \"0s\"",
        &["timeouts.idle", "above zero"],
    ),
    (
        "[timeouts]\nidle = \"48h\"",
        &["timeouts.idle", "at most 24h"],
    ),
    (
        "[timeouts]\ntotal = \"never\"",
        &["timeouts.total", "\"off\""],
    ),
    (
        "[pool]\nmax_waiting = \"many\"",
        &["pool.max_waiting", "whole number"],
    ),
    (
        "[providers.openai]\nbase_url = \"https://api.openai.com/v1\"",
        &["providers.openai", "the router adds"],
    ),
    (
        "[providers.openai]\nbase_url = \"api.openai.com\"",
        &["providers.openai.base_url", "http"],
    ),
    (
        "[providers.openai]\nconcurrency = 0",
        &["providers.openai.concurrency", "1 to 100000"],
    ),
    ("[log]\nformat = \"xml\"", &["log.format", "text, json"]),
    (
        "[log]\nfilter = \"startline=loud\"",
        &["log.filter", "levels"],
    ),
    ("[tls]\nroots = \"none\"", &["tls.roots"]),
    (
        "[keys]\nrouter = [{ label = \"no key\" }]",
        &["keys.router.0", "either key or sha256"],
    ),
];

#[test]
fn every_wrong_setting_is_named_with_its_file_and_rule_and_ends_with_1() {
    let scratch = Scratch::new();
    for (text, parts) in REFUSED {
        let (status, printed, log) = check_config(&scratch, text);
        assert_eq!((status, printed.as_str()), (1, ""), "{text}: {log}");
        assert!(log.contains("startline.toml"), "{text}: {log}");
        for part in parts {
            assert!(log.contains(part), "{text}: {part:?} is not in {log}");
        }
        assert!(!log.contains("canary"), "{log}");
    }
}

#[test]
fn all_wrong_settings_are_named_at_one_time() {
    let scratch = Scratch::new();
    let (status, _, log) = check_config(&scratch, "[server]\na = 1\nb = 2\n[log]\nc = 3\n");
    assert_eq!(status, 1);
    for key in ["server.a", "server.b", "log.c"] {
        assert!(log.contains(key), "{key}: {log}");
    }
}

#[test]
fn a_key_that_is_none_is_refused_without_showing_it() {
    let scratch = Scratch::new();
    for text in [
        "[keys]\nrouter = [{ key = \"flex_live_canary\", label = \"ci\" }]",
        "[keys]\nrouter = [{ sha256 = \"canary\" }]",
        "[providers.openai]\napi_key = \"sk canary\"",
        "[providers.openai]\napi_key = [\"canary\"]",
        "[keys]\nrouter = \"canary\"",
        "[keys]\nrouter = [{ key = \"flex_live_0123456789abcdef012345673c8091\", start_within = \"canary\" }]",
        "[providers.openai]\napi_key = \"canary",
    ] {
        let (status, _, log) = check_config(&scratch, text);
        assert_eq!(status, 1, "{text}: {log}");
        assert!(
            log.starts_with("startline: ") && !log.contains("canary"),
            "{text}: {log}"
        );
    }
}

#[test]
fn a_wrong_variable_is_named_as_it_is_written() {
    for (name, value, parts) in [
        (
            "STARTLINE__SERVER__LISEN",
            "x",
            &["STARTLINE__SERVER__LISEN", "unknown key"][..],
        ),
        (
            "STARTLINE__SERVER__LISTEN",
            "x",
            &["STARTLINE__SERVER__LISTEN", "IP address"],
        ),
        (
            "STARTLINE__SERVER__WORKERS",
            "two",
            &["STARTLINE__SERVER__WORKERS", "TOML value"],
        ),
        (
            "STARTLINE__SERVER",
            "x",
            &["STARTLINE__SERVER", "is a section"],
        ),
    ] {
        let (status, _, log) = run(startline(&["check-config"]).env(name, value));
        assert_eq!(status, 1, "{name}: {log}");
        for part in parts {
            assert!(log.contains(part), "{name}: {part:?} is not in {log}");
        }
    }
}

#[test]
fn the_environment_beats_the_file_and_the_file_can_be_named_by_it() {
    let scratch = Scratch::new();
    let file = scratch.file(
        "a.toml",
        "[server]\nlisten = \"127.0.0.1:1111\"\nworkers = 3\n",
    );
    let mut command = startline(&["check-config"]);
    let (_, printed, _) = run(command.env("STARTLINE_CONFIG", &file));
    assert!(printed.contains("127.0.0.1:1111"), "{printed}");
    let (status, printed, _) = run(command.env("STARTLINE__SERVER__LISTEN", "127.0.0.1:2222"));
    assert!(
        status == 0 && printed.contains("127.0.0.1:2222"),
        "{printed}"
    );
    let (status, _, log) =
        run(startline(&["check-config", "--config", "/nowhere/startline.toml"]).env("X", "y"));
    assert!(
        status == 1 && log.contains("/nowhere/startline.toml"),
        "{log}"
    );
}

#[test]
fn a_wrong_command_line_ends_with_2_and_help_with_0() {
    for arguments in [
        &["sevre"][..],
        &["check-config", "--conifg", "x"],
        &["models", "--jsno"],
        &["serve", "extra"],
        &["check-config", "--config"],
    ] {
        let (status, printed, log) = run(&mut startline(arguments));
        assert_eq!((status, printed.as_str()), (2, ""), "{arguments:?}");
        assert!(log.contains("try '--help'"), "{arguments:?}: {log}");
    }
    for arguments in [
        &["--help"][..],
        &["serve", "--help"],
        &["models", "--help"],
        &["--version"],
    ] {
        let (status, printed, log) = run(&mut startline(arguments));
        assert_eq!((status, log.as_str()), (0, ""), "{arguments:?}");
        assert!(printed.contains("startline"), "{printed}");
    }
}

#[test]
fn the_models_are_printed_for_people_and_as_json() {
    let (status, printed, _) = run(&mut startline(&["models"]));
    assert_eq!(status, 0);
    let line = printed
        .lines()
        .find(|line| line.starts_with("gpt-5.5 "))
        .unwrap();
    assert!(
        line.contains("5 / 30") && line.contains("2.5 / 15"),
        "{line}"
    );
    let (status, printed, _) = run(&mut startline(&["models", "--json"]));
    assert_eq!(status, 0);
    let models: Value = serde_json::from_str(&printed).unwrap();
    let models = models.as_array().unwrap();
    let known = include_str!("../../config/models.toml")
        .matches("\n[[model]]\n")
        .count();
    assert_eq!(models.len(), known);
    let one = models
        .iter()
        .find(|model| model["id"] == "gpt-5.5")
        .unwrap();
    assert_eq!(one["usd_per_million_tokens"]["flex"]["input"], "2.5");
    let mut command = startline(&["models", "--json"]);
    let (status, printed, log) =
        run(command.env("STARTLINE__CATALOGUE__PATH", "/nowhere/models.toml"));
    assert_eq!((status, printed.as_str()), (1, ""));
    assert!(log.contains("/nowhere/models.toml"), "{log}");
}

#[test]
fn an_address_that_is_taken_ends_serve_with_1() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let simulator = Simulator::start(Options::default()).unwrap();
    let mut command = serve(&simulator, &new_key());
    let (status, _, log) = run(command.env("STARTLINE__SERVER__LISTEN", &address));
    assert_eq!(status, 1);
    assert!(
        log.contains("cannot listen on") && log.contains(&address),
        "{log}"
    );
}

#[actix_web::test]
async fn a_first_key_goes_to_a_file_of_its_owner_and_never_to_the_log() {
    let (simulator, scratch) = (
        Simulator::start(Options::default()).unwrap(),
        Scratch::new(),
    );
    let mut command: Command = serve(&simulator, "");
    command
        .env("TMPDIR", scratch.path())
        .env("STARTLINE__LOG__FILTER", "trace");
    let mut serving = Serving::start(&mut command, "").await;
    let entries: Vec<_> = std::fs::read_dir(scratch.path())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(entries.len(), 1, "one file");
    let path = entries[0].path();
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let key = std::fs::read_to_string(&path).unwrap().trim().to_owned();
    assert!(
        serving.printed().contains(path.to_str().unwrap()),
        "{}",
        serving.printed()
    );
    let mut connection = Connection::open(serving.address).await;
    connection
        .write(&request("GET", "/v1/models", &[("x-api-key", &key)], b""))
        .await;
    assert_eq!(connection.answer().await.status, 200);
    serving.signal("TERM");
    assert_eq!(serving.end().await.code(), Some(0));
    let everything = serving.log() + &serving.printed();
    assert!(!everything.contains(&key), "the key was printed");
    assert!(
        !path.exists(),
        "the key is good until the router stops, and so is its file"
    );
}
