//! Notices at once when the other side of a connection closes, however busy the simulator is.

#[cfg(target_os = "linux")]
pub(super) use linux::{Closing, Closings};
#[cfg(not(target_os = "linux"))]
pub(super) use portable::{Closing, Closings};

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::io;
    use std::os::unix::net::UnixStream;
    use std::sync::{Arc, Mutex, OnceLock};
    use std::time::Instant;

    use nix::errno::Errno;
    use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
    use tokio::net::TcpStream;

    /// Stands for the simulator itself among the numbers of its connections.
    const SIMULATOR: u64 = u64::MAX;
    const AT_ONE_TIME: usize = 256;

    /// A thread of its own that waits for closes and for nothing else: the kernel stamps what is sent, not its end.
    pub(in super::super) struct Closings {
        watched: Arc<Watched>,
        /// Its drop ends the thread.
        _alive: UnixStream,
    }

    struct Watched {
        epoll: Epoll,
        moments: Mutex<HashMap<u64, Arc<OnceLock<Instant>>>>,
    }

    /// The close of one connection.
    pub(in super::super) struct Closing {
        number: u64,
        moment: Arc<OnceLock<Instant>>,
        watched: Arc<Watched>,
    }

    impl Closings {
        pub(in super::super) fn start() -> io::Result<Self> {
            let watched = Arc::new(Watched {
                epoll: Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?,
                moments: Mutex::default(),
            });
            let (alive, ended) = UnixStream::pair()?;
            watched.epoll.add(&ended, closes(SIMULATOR))?;
            let noting = Arc::clone(&watched);
            std::thread::Builder::new()
                .name("closings".to_owned())
                .spawn(move || {
                    noting.note_until_the_end();
                    drop(ended);
                })?;
            Ok(Self {
                watched,
                _alive: alive,
            })
        }

        pub(in super::super) fn of(&self, stream: &TcpStream, number: u64) -> Closing {
            let moment = Arc::new(OnceLock::new());
            self.watched
                .moments
                .lock()
                .expect("no holder panics")
                .insert(number, Arc::clone(&moment));
            // Without a place among the watched, the close counts from when the connection's own task sees it.
            let _ = self.watched.epoll.add(stream, closes(number));
            Closing {
                number,
                moment,
                watched: Arc::clone(&self.watched),
            }
        }
    }

    impl Watched {
        fn note_until_the_end(&self) {
            let mut events = [EpollEvent::empty(); AT_ONE_TIME];
            loop {
                let count = match self.epoll.wait(&mut events, EpollTimeout::NONE) {
                    Ok(count) => count,
                    Err(Errno::EINTR) => continue,
                    Err(_) => return,
                };
                let now = Instant::now();
                let moments = self.moments.lock().expect("no holder panics");
                for event in &events[..count] {
                    if event.data() == SIMULATOR {
                        return;
                    }
                    if let Some(moment) = moments.get(&event.data()) {
                        let _ = moment.set(now);
                    }
                }
            }
        }
    }

    impl Closing {
        /// When it was noticed.
        pub(in super::super) fn at(&self) -> Option<Instant> {
            self.moment.get().copied()
        }
    }

    impl Drop for Closing {
        fn drop(&mut self) {
            if let Ok(mut moments) = self.watched.moments.lock() {
                moments.remove(&self.number);
            }
        }
    }

    fn closes(number: u64) -> EpollEvent {
        EpollEvent::new(EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET, number)
    }
}

#[cfg(not(target_os = "linux"))]
mod portable {
    use std::io;
    use std::time::Instant;

    use tokio::net::TcpStream;

    pub(in super::super) struct Closings;

    pub(in super::super) struct Closing;

    impl Closings {
        pub(in super::super) fn start() -> io::Result<Self> {
            Ok(Self)
        }

        pub(in super::super) fn of(&self, _: &TcpStream, _: u64) -> Closing {
            Closing
        }
    }

    impl Closing {
        pub(in super::super) fn at(&self) -> Option<Instant> {
            None
        }
    }
}
