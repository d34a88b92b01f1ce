//! The timers of waits between re-hits: one actor a worker.

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use actix::{Actor, ActorFuture, AsyncContext, Context, Handler, Message, WeakRecipient};
use tokio_util::time::DelayQueue;

/// Asks to be woken after a while.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Schedule {
    /// How long to wait.
    pub after: Duration,
    /// Whom to wake; one that is gone by then is forgotten.
    pub waiter: WeakRecipient<WaitOver>,
}

/// The wait is over.
#[derive(Message)]
#[rtype(result = "()")]
pub struct WaitOver;

/// Asks how many are waiting.
#[derive(Message)]
#[rtype(result = "usize")]
pub struct Pending;

/// Owns the timers of one worker, in one queue: a timer of an actor's own would be looked at with every message.
///
/// Receives [`Schedule`]; sends [`WaitOver`]. Holds no waiter alive. Its queue is bounded by the requests in flight,
/// a wait by 60 s. Stops with its worker.
#[derive(Default)]
pub struct RetryScheduler {
    queue: DelayQueue<WeakRecipient<WaitOver>>,
}

impl RetryScheduler {
    fn wake_due(&mut self, task: &mut TaskContext<'_>) {
        while let Poll::Ready(Some(due)) = self.queue.poll_expired(task) {
            if let Some(waiter) = due.into_inner().upgrade() {
                waiter.do_send(WaitOver);
            }
        }
    }
}

impl Actor for RetryScheduler {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.spawn(Alarm);
    }
}

impl Handler<Schedule> for RetryScheduler {
    type Result = ();

    fn handle(&mut self, Schedule { after, waiter }: Schedule, _: &mut Self::Context) {
        self.queue.insert(waiter, after);
    }
}

impl Handler<Pending> for RetryScheduler {
    type Result = usize;

    fn handle(&mut self, Pending: Pending, _: &mut Self::Context) -> usize {
        self.queue.len()
    }
}

/// Polls the queue for as long as the scheduler lives. A message polls it too, so a new timer is seen at once.
struct Alarm;

impl ActorFuture<RetryScheduler> for Alarm {
    type Output = ();

    fn poll(
        self: Pin<&mut Self>,
        scheduler: &mut RetryScheduler,
        _: &mut Context<RetryScheduler>,
        task: &mut TaskContext<'_>,
    ) -> Poll<()> {
        scheduler.wake_due(task);
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use tokio::time::Instant;

    use super::*;

    struct Waiter(Arc<AtomicUsize>);

    impl Actor for Waiter {
        type Context = Context<Self>;
    }

    impl Handler<WaitOver> for Waiter {
        type Result = ();

        fn handle(&mut self, WaitOver: WaitOver, _: &mut Self::Context) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    fn paused<F: Future>(test: F) {
        actix::System::new().block_on(async {
            tokio::time::pause();
            test.await
        });
    }

    async fn settle() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn each_waiter_is_woken_when_its_wait_is_over_and_not_before() {
        paused(async {
            let scheduler = RetryScheduler::default().start();
            let woken = Arc::new(AtomicUsize::new(0));
            let waiter = Waiter(Arc::clone(&woken)).start();
            for millis in [2000_u64, 500, 1000] {
                let after = Duration::from_millis(millis);
                scheduler.do_send(Schedule {
                    after,
                    waiter: waiter.downgrade().recipient(),
                });
            }
            assert_eq!(scheduler.send(Pending).await.unwrap(), 3);
            for (millis, expected) in [(499, 0), (2, 1), (498, 1), (2, 2), (998, 2), (2, 3)] {
                tokio::time::advance(Duration::from_millis(millis)).await;
                settle().await;
                assert_eq!(woken.load(SeqCst), expected, "after {millis} ms more");
            }
        });
    }

    #[test]
    fn a_waiter_that_is_gone_is_forgotten() {
        paused(async {
            let scheduler = RetryScheduler::default().start();
            let waiter = Waiter(Arc::default()).start();
            let after = Duration::from_secs(1);
            scheduler.do_send(Schedule {
                after,
                waiter: waiter.downgrade().recipient(),
            });
            settle().await;
            drop(waiter);
            tokio::time::advance(Duration::from_secs(2)).await;
            settle().await;
            assert_eq!(scheduler.send(Pending).await.unwrap(), 0);
        });
    }

    #[test]
    fn with_ten_thousand_timers_a_message_is_answered_within_a_millisecond() {
        actix::System::new().block_on(async {
            let scheduler = RetryScheduler::default().start();
            let waiter = Waiter(Arc::default()).start();
            for number in 0..10_000_u64 {
                let after = Duration::from_millis(30_000 + number);
                scheduler.do_send(Schedule {
                    after,
                    waiter: waiter.downgrade().recipient(),
                });
            }
            assert_eq!(scheduler.send(Pending).await.unwrap(), 10_000);
            let mut answers: Vec<Duration> = Vec::new();
            for _ in 0..1000 {
                let asked = Instant::now();
                scheduler.send(Pending).await.unwrap();
                answers.push(asked.elapsed());
            }
            answers.sort();
            println!(
                "10,000 timers pending: p50 {:?}, p99 {:?}",
                answers[500], answers[990]
            );
            assert!(
                answers[990] <= Duration::from_millis(1),
                "p99 {:?}",
                answers[990]
            );
        });
    }
}
