//! What each worker thread has of its own: an HTTP client, the actors of its races and their timers.

use actix::{Actor, Addr};
use startline_actors::connector::{Client, ClientSettings};
use startline_actors::deadlines::Deadlines;
use startline_actors::http_actor::{Bounds, HttpActor, Surroundings, Timeouts};
use startline_actors::retry_scheduler::RetryScheduler;

use crate::router::Router;
use crate::settings::Settings;

/// One worker's actors.
#[derive(Clone)]
pub struct Worker {
    /// Where a request enters.
    pub http: Addr<HttpActor>,
    scheduler: Addr<RetryScheduler>,
}

impl Worker {
    /// Starts the actors on the current thread, that of worker `number`.
    pub fn start(router: &Router, number: usize) -> Self {
        let settings = &router.settings;
        if settings.server.pin_workers {
            pin(number);
        }
        let scheduler = RetryScheduler::default().start();
        let surroundings = Surroundings {
            client: Client::new(&client_settings(router)),
            deadlines: Deadlines::start(),
            scheduler: scheduler.clone(),
            timeouts: timeouts(settings),
            bounds: bounds(settings),
            live: router.live.clone(),
        };
        let http = HttpActor::new(surroundings).start();
        Self { http, scheduler }
    }

    /// Whether its actors are alive.
    pub fn is_alive(&self) -> bool {
        self.http.connected() && self.scheduler.connected()
    }
}

/// Keeps the current thread on one core: worker 0 on the first that the process may use, and so on.
fn pin(number: usize) {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let core = cores.get(number % cores.len().max(1));
    if !core.is_some_and(|core| core_affinity::set_for_current(*core)) {
        tracing::warn!(
            number,
            "server.pin_workers: this worker could not be kept on one core"
        );
    }
}

fn client_settings(router: &Router) -> ClientSettings {
    let settings = &router.settings;
    ClientSettings {
        connect: settings.timeouts.connect,
        idle_connection: settings.pool.keep_alive,
        connection_lifetime: settings.pool.lifetime,
        tls: router.tls.clone(),
    }
}

fn timeouts(settings: &Settings) -> Timeouts {
    Timeouts {
        response_head: settings.timeouts.response_head,
        response_head_whole: settings.timeouts.response_head_whole,
        idle: settings.timeouts.idle,
        total: settings.timeouts.total,
        error_body: settings.timeouts.error_body,
    }
}

fn bounds(settings: &Settings) -> Bounds {
    Bounds {
        error_body: settings.limits.error_body_max,
        body_channel: settings.limits.body_channel,
        event: settings.limits.event_max,
        document: settings.limits.response_max,
        connect_ahead: settings.pool.connect_ahead,
        pool_max_wait: settings.pool.max_wait,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::pin;

    fn cores_of_this_thread() -> String {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("Cpus_allowed_list"));
        line.unwrap().split_whitespace().nth(1).unwrap().to_owned()
    }

    #[test]
    fn each_pinned_worker_has_one_core_and_the_next_worker_the_next() {
        let cores = core_affinity::get_core_ids().unwrap();
        for number in 0..=cores.len() {
            let pinned = std::thread::spawn(move || {
                pin(number);
                cores_of_this_thread()
            });
            let expected = cores[number % cores.len()].id.to_string();
            assert_eq!(pinned.join().unwrap(), expected, "worker {number}");
        }
    }
}
