//! The least that a proxy of actix-web and awc does, with nothing of startline in it: the yardstick for its cost.

use std::net::SocketAddr;
use std::time::Duration;

use actix_rt::net::TcpStream;
use actix_service::ServiceExt;
use actix_tls::connect::Connection;
use actix_web::http::Uri;
use actix_web::http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use awc::{Client, Connector};
use clap::Parser;

const LARGEST_BODY: usize = 32 * 1024 * 1024;

/// Passes every POST on to one upstream, and its answer back.
#[derive(Parser)]
struct Arguments {
    /// Address and port.
    #[arg(long, default_value = "127.0.0.1:9200")]
    listen: SocketAddr,
    /// Base URL of the upstream, without a slash at the end.
    #[arg(long, default_value = "http://127.0.0.1:9100")]
    upstream: String,
    /// Worker threads.
    #[arg(long, default_value_t = 1)]
    workers: usize,
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let arguments = Arguments::parse();
    let upstream = web::Data::new(arguments.upstream);
    HttpServer::new(move || {
        App::new()
            .app_data(upstream.clone())
            .app_data(web::Data::new(client()))
            .app_data(web::PayloadConfig::new(LARGEST_BODY))
            .default_service(web::post().to(pass))
    })
    .workers(arguments.workers)
    .tcp_nodelay(true)
    .h1_allow_half_closed(false)
    .keep_alive(Duration::from_secs(90))
    .bind(arguments.listen)?
    .run()
    .await
}

fn client() -> Client {
    // awc leaves TCP_NODELAY off.
    let tcp = actix_tls::connect::Connector::default().service().map(
        |connection: Connection<Uri, TcpStream>| {
            let _ = connection.io_ref().set_nodelay(true);
            connection
        },
    );
    let connector = Connector::new()
        .connector(tcp)
        .limit(0)
        .timeout(Duration::from_secs(10))
        .conn_keep_alive(Duration::from_secs(60));
    Client::builder()
        .connector(connector)
        .disable_timeout()
        .disable_redirects()
        .no_default_headers()
        .finish()
}

async fn pass(
    request: HttpRequest,
    body: web::Bytes,
    upstream: web::Data<String>,
    client: web::Data<Client>,
) -> HttpResponse {
    let mut outgoing = client
        .post(format!("{}{}", **upstream, request.uri()))
        .no_decompress();
    for (name, value) in request.headers() {
        if name != HOST && name != CONTENT_LENGTH && name != CONNECTION && name != TRANSFER_ENCODING
        {
            outgoing = outgoing.append_header((name, value));
        }
    }
    let Ok(answer) = outgoing.send_body(body).await else {
        return HttpResponse::BadGateway().finish();
    };
    let mut incoming = HttpResponse::build(answer.status());
    for (name, value) in answer.headers() {
        if name != CONTENT_LENGTH && name != CONNECTION && name != TRANSFER_ENCODING {
            incoming.append_header((name, value));
        }
    }
    incoming.streaming(answer)
}
