//! TLS towards the providers: whom the router trusts, and that a cancelled leg is closed over TLS too.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::json;
use startline_load::simulator::Simulator;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::client::{Answer, Connection, request};
use crate::process::{Scratch, Serving, new_key, serve};
use crate::rig::scripted;

const HANDSHAKE: Duration = Duration::from_millis(400);

/// Speaks TLS in front of the simulator, each handshake after a `pause`. Gives its address and its certificate.
async fn in_front_of(simulator: &Simulator, pause: Duration) -> (SocketAddr, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let provider = simulator.address();
    actix_rt::spawn(async move {
        while let Ok((caller, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            actix_rt::spawn(async move {
                tokio::time::sleep(pause).await;
                let Ok(mut caller) = acceptor.accept(caller).await else {
                    return;
                };
                let mut provider = TcpStream::connect(provider).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut caller, &mut provider).await;
            });
        }
    });
    (address, cert.pem())
}

async fn call(serving: &Serving, body: &serde_json::Value) -> Answer {
    let mut connection = Connection::open(serving.address).await;
    let authorization = format!("Bearer {}", serving.key);
    let headers = [("authorization", authorization.as_str())];
    let bytes = body.to_string();
    connection
        .write(&request(
            "POST",
            "/v1/responses",
            &headers,
            bytes.as_bytes(),
        ))
        .await;
    connection.answer().await
}

/// A router that trusts the provider at `address`; `change` may add settings.
async fn trusting(
    simulator: &Simulator,
    address: SocketAddr,
    certificate: &str,
    change: impl FnOnce(&mut Command),
) -> Serving {
    let scratch = Scratch::new();
    let file = scratch.file("roots.pem", certificate);
    let key = new_key();
    let mut command = serve(simulator, &key);
    let provider = format!("https://localhost:{}", address.port());
    command
        .env("STARTLINE__TLS__ROOTS", "platform")
        .env("SSL_CERT_FILE", file)
        .env("STARTLINE__PROVIDERS__OPENAI__BASE_URL", provider);
    change(&mut command);
    Serving::start(&mut command, &key).await
}

#[actix_web::test]
async fn a_provider_whose_certificate_is_trusted_is_spoken_to_over_tls() {
    let simulator = Simulator::start_default();
    let (address, certificate) = in_front_of(&simulator, Duration::ZERO).await;
    let serving = trusting(&simulator, address, &certificate, |_| ()).await;
    let plain = json!({"model": "gpt-5.5", "input": "Hello", "start_within": "default"});
    for _ in 0..3 {
        let answer = call(&serving, &plain).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let connections: Vec<u64> = simulator
        .seen()
        .iter()
        .map(|seen| seen.connection)
        .collect();
    assert_eq!(
        connections[0], connections[2],
        "the connection was not kept"
    );

    let silent = scripted(&json!({"flex": {"silent": "queued"}}));
    let raced =
        json!({"model": "gpt-5.5", "input": silent, "start_within": "00h-00m-05s", "stream": true});
    let answer = call(&serving, &raced).await;
    assert_eq!(
        answer.header("x-flexinference-routing-reason"),
        Some("flex_deadline")
    );
    let seen = simulator.seen();
    let [.., flex, standard] = seen.as_slice() else {
        panic!("two attempts")
    };
    assert_eq!(
        (flex.tier.as_deref(), standard.tier.as_deref()),
        (Some("flex"), Some("default"))
    );
    let flex_is_closed = simulator
        .wait_for(
            |seen| seen[seen.len() - 2].closed.is_some(),
            Duration::from_secs(1),
        )
        .await;
    assert!(flex_is_closed);

    for cut in [
        json!({"before_terminal": true, "how": "fin"}),
        json!({"before_terminal": true, "how": "rst"}),
    ] {
        let input = scripted(&json!({"settled": {"cut": cut}}));
        let broken =
            json!({"model": "gpt-5.5", "input": input, "start_within": "default", "stream": true});
        let answer = call(&serving, &broken).await;
        assert!(
            answer.text().contains("event: response.failed"),
            "{}",
            answer.text()
        );
    }
}

/// How much later than flex's arrival and the deadline say standard comes to a provider whose handshakes take long.
async fn lateness_of_standard(change: impl FnOnce(&mut Command)) -> Duration {
    let simulator = Simulator::start_default();
    let (address, certificate) = in_front_of(&simulator, HANDSHAKE).await;
    let serving = trusting(&simulator, address, &certificate, change).await;
    let silent = scripted(&json!({"flex": {"silent": "queued"}}));
    let raced = json!({"model": "gpt-5.5", "input": silent, "start_within": "00h-00m-05s"});
    let answer = call(&serving, &raced).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let seen = simulator.seen();
    let [flex, standard] = seen.as_slice() else {
        panic!("two attempts")
    };
    // The deadline counts from before flex's own handshake.
    standard.at + HANDSHAKE - Duration::from_secs(5) - flex.at
}

#[actix_web::test]
async fn a_lost_race_costs_no_handshake() {
    let late = lateness_of_standard(|_| ()).await;
    assert!(late < HANDSHAKE / 4, "{late:?}");
    let late = lateness_of_standard(|router| {
        router.env("STARTLINE__POOL__CONNECT_AHEAD", "off");
    })
    .await;
    assert!(late > HANDSHAKE * 3 / 4, "{late:?}");
}

#[actix_web::test]
async fn a_provider_whose_certificate_nobody_vouches_for_gets_nothing() {
    let simulator = Simulator::start_default();
    let (address, _) = in_front_of(&simulator, Duration::ZERO).await;
    let key = new_key();
    let mut command = serve(&simulator, &key);
    command.env(
        "STARTLINE__PROVIDERS__OPENAI__BASE_URL",
        format!("https://localhost:{}", address.port()),
    );
    let serving = Serving::start(&mut command, &key).await;
    let answer = call(
        &serving,
        &json!({"model": "gpt-5.5", "input": "Hello", "start_within": "default"}),
    )
    .await;
    assert_eq!(answer.status, 502);
    assert_eq!(answer.json()["error"]["code"], "upstream_unavailable");
    assert!(simulator.seen().is_empty());
}
