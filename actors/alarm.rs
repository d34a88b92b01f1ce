//! Rings at one moment: by a timer of the system where there is one, else by the runtime's, which is up to 2 ms late.

use std::cell::Cell;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

pub(crate) enum Alarm {
    #[cfg(target_os = "linux")]
    System(system::Timer),
    Runtime(Runtime),
}

impl Alarm {
    /// Needs to run on the worker that will wait for it.
    pub(crate) fn new() -> Self {
        #[cfg(target_os = "linux")]
        match system::Timer::new() {
            Ok(timer) => return Self::System(timer),
            Err(error) => tracing::warn!(%error, "deadlines may be late by 2 ms: no timer"),
        }
        Self::Runtime(Runtime::default())
    }

    /// Has it ring then, and not when it was to ring before.
    pub(crate) fn set(&self, moment: Instant) {
        match self {
            #[cfg(target_os = "linux")]
            Self::System(timer) => timer.set(moment),
            Self::Runtime(runtime) => runtime.set(moment),
        }
    }

    pub(crate) async fn rings(&self) {
        match self {
            #[cfg(target_os = "linux")]
            Self::System(timer) => timer.rings().await,
            Self::Runtime(runtime) => runtime.rings().await,
        }
    }
}

#[derive(Default)]
pub(crate) struct Runtime {
    moment: Cell<Option<Instant>>,
    changed: Notify,
}

impl Runtime {
    fn set(&self, moment: Instant) {
        self.moment.set(Some(moment));
        self.changed.notify_one();
    }

    async fn rings(&self) {
        loop {
            let Some(moment) = self.moment.get() else {
                self.changed.notified().await;
                continue;
            };
            tokio::select! {
                () = sleep_until(moment) => {
                    self.moment.set(None);
                    return;
                }
                () = self.changed.notified() => {}
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::os::fd::{AsFd, AsRawFd, RawFd};
    use std::time::Duration;

    use nix::sys::time::TimeSpec;
    use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
    use tokio::io::unix::AsyncFd;
    use tokio::time::Instant;

    /// Zero would switch it off.
    const SHORTEST: Duration = Duration::from_nanos(1);

    pub(crate) struct Timer(AsyncFd<Descriptor>);

    struct Descriptor(TimerFd);

    impl AsRawFd for Descriptor {
        fn as_raw_fd(&self) -> RawFd {
            self.0.as_fd().as_raw_fd()
        }
    }

    impl Timer {
        #[expect(
            deprecated,
            reason = "unsound for a type that lies about its descriptor; its successor is unsafe"
        )]
        pub(super) fn new() -> io::Result<Self> {
            let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
            let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
            Ok(Self(AsyncFd::new(Descriptor(timer))?))
        }

        pub(super) fn set(&self, moment: Instant) {
            let left = moment.saturating_duration_since(Instant::now());
            let once = Expiration::OneShot(TimeSpec::from_duration(left.max(SHORTEST)));
            let set = self.0.get_ref().0.set(once, TimerSetTimeFlags::empty());
            debug_assert!(set.is_ok(), "every time to come can be set");
        }

        pub(super) async fn rings(&self) {
            let Ok(mut ready) = self.0.readable().await else {
                // The worker is going down.
                return std::future::pending().await;
            };
            // Nothing is read: to set it anew is to forget that it rang.
            ready.clear_ready();
        }
    }
}
