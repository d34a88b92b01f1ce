//! The listener: accepts connections, and can refuse them for a while on the same port.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{mpsc, oneshot};

use super::closings::Closings;
use super::connection;
use super::journal::Journal;
use super::rules::Rules;
use super::stamped;

const BACKLOG: u32 = 8192;

/// What all connections share.
pub(super) struct State {
    pub(super) journal: Journal,
    pub(super) rules: Rules,
    pub(super) closings: Closings,
    pub(super) started: Instant,
    pub(super) orders: mpsc::UnboundedSender<Order>,
}

/// Refuse connections, or accept them again; answered when it is so.
pub(super) struct Order {
    pub(super) refuse: bool,
    pub(super) done: oneshot::Sender<()>,
}

impl State {
    /// Refuses new connections, or accepts them again. Comes back when it is so.
    pub(super) async fn refuse(&self, refuse: bool) {
        let (done, is_done) = oneshot::channel();
        if self.orders.send(Order { refuse, done }).is_ok() {
            let _ = is_done.await;
        }
    }
}

/// Opens the port. Needs to run inside the simulator's runtime.
pub(super) fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    socket.set_reuseaddr(true)?;
    stamped::ask_for_stamps(&socket)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts until the runtime is gone.
pub(super) async fn accept(
    listener: TcpListener,
    state: Arc<State>,
    mut orders: mpsc::UnboundedReceiver<Order>,
) {
    let Ok(address) = listener.local_addr() else {
        return;
    };
    let connections = AtomicU64::new(0);
    let mut open = Some(listener);
    loop {
        tokio::select! {
            biased;
            order = orders.recv() => {
                let Some(order) = order else { return };
                if order.refuse {
                    open = None;
                } else if open.is_none() {
                    open = bind(address).ok();
                }
                let _ = order.done.send(());
            }
            accepted = accept_one(&open) => {
                let Ok(stream) = accepted else { continue };
                let _ = stream.set_nodelay(true);
                let number = connections.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(connection::serve(stream, state.clone(), number));
            }
        }
    }
}

async fn accept_one(listener: &Option<TcpListener>) -> io::Result<tokio::net::TcpStream> {
    match listener {
        Some(listener) => listener.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}
