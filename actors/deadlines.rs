//! Deadlines, kept to a fraction of a millisecond.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll, Waker};

use tokio::time::Instant;

use crate::alarm::Alarm;

/// What waits for a moment on one worker.
///
/// The runtime's timers count whole milliseconds and round up, on the average by one, and what becomes due meanwhile
/// comes at once. Here one timer of the system stands for the earliest moment.
pub struct Deadlines {
    waiting: RefCell<BTreeMap<(Instant, u64), Waker>>,
    last_number: Cell<u64>,
    alarm: Alarm,
}

impl Deadlines {
    /// Needs to run on the worker.
    pub fn start() -> Rc<Self> {
        Self::with(Alarm::new())
    }

    fn with(alarm: Alarm) -> Rc<Self> {
        let deadlines = Rc::new(Self {
            waiting: RefCell::default(),
            last_number: Cell::new(0),
            alarm,
        });
        actix_rt::spawn(Rc::clone(&deadlines).keep());
        deadlines
    }

    /// Waits until the moment has come.
    pub(crate) fn at(self: &Rc<Self>, moment: Instant) -> At {
        let number = self.last_number.get() + 1;
        self.last_number.set(number);
        At {
            key: (moment, number),
            deadlines: Rc::clone(self),
        }
    }

    async fn keep(self: Rc<Self>) {
        loop {
            self.alarm.rings().await;
            self.wake_due();
        }
    }

    /// Wakes those whose moment has come, and sets the alarm for the next.
    fn wake_due(&self) {
        let now = Instant::now();
        let mut waiting = self.waiting.borrow_mut();
        while let Some(first) = waiting.first_entry() {
            let (moment, _) = *first.key();
            if moment > now {
                return self.alarm.set(moment);
            }
            first.remove().wake();
        }
    }
}

/// A wait for a moment; dropping it ends it.
pub(crate) struct At {
    key: (Instant, u64),
    deadlines: Rc<Deadlines>,
}

impl Future for At {
    type Output = ();

    fn poll(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        let (moment, _) = self.key;
        if moment <= Instant::now() {
            return Poll::Ready(());
        }
        let mut waiting = self.deadlines.waiting.borrow_mut();
        let is_first = waiting
            .first_key_value()
            .is_none_or(|(first, _)| self.key < *first);
        waiting
            .entry(self.key)
            .and_modify(|waker| waker.clone_from(task.waker()))
            .or_insert_with(|| task.waker().clone());
        if is_first {
            self.deadlines.alarm.set(moment);
        }
        Poll::Pending
    }
}

impl Drop for At {
    fn drop(&mut self) {
        self.deadlines.waiting.borrow_mut().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::task::{LocalSet, spawn_local};

    use super::*;
    use crate::alarm;

    /// Runs it with the timer of the system and with the runtime's.
    async fn on_a_worker(test: impl AsyncFn(Rc<Deadlines>)) {
        let both = async {
            test(Deadlines::start()).await;
            let runtime = Alarm::Runtime(alarm::Runtime::default());
            test(Deadlines::with(runtime)).await;
        };
        LocalSet::new().run_until(both).await;
    }

    #[tokio::test]
    async fn each_wait_ends_at_its_moment_whatever_the_order() {
        on_a_worker(async |deadlines| {
            let start = Instant::now();
            let waits: Vec<_> = [40_u64, 10, 30, 20, 10]
                .into_iter()
                .map(|millis| {
                    let moment = start + Duration::from_millis(millis);
                    let wait = deadlines.at(moment);
                    spawn_local(async move {
                        wait.await;
                        let now = Instant::now();
                        assert!(now >= moment, "{millis} ms were over too early");
                        now - moment
                    })
                })
                .collect();
            let mut late = Vec::new();
            for wait in waits {
                late.push(wait.await.unwrap());
            }
            // A machine that does other things may be late with some.
            assert!(
                *late.iter().min().unwrap() < Duration::from_millis(5),
                "{late:?}"
            );
            assert!(deadlines.waiting.borrow().is_empty());
        })
        .await;
    }

    #[tokio::test]
    async fn a_wait_that_is_dropped_leaves_nothing_and_keeps_no_other() {
        on_a_worker(async |deadlines| {
            let start = Instant::now();
            let mut given_up = Box::pin(deadlines.at(start + Duration::from_millis(5)));
            assert!(futures::poll!(&mut given_up).is_pending());
            let kept = deadlines.at(start + Duration::from_millis(10));
            let kept = spawn_local(kept);
            tokio::task::yield_now().await;
            drop(given_up);
            assert_eq!(deadlines.waiting.borrow().len(), 1);
            kept.await.unwrap();
            assert!(start.elapsed() >= Duration::from_millis(10));
        })
        .await;
    }

    #[tokio::test]
    async fn a_moment_that_is_over_is_not_waited_for() {
        on_a_worker(async |deadlines| {
            deadlines.at(Instant::now()).await;
            assert!(deadlines.waiting.borrow().is_empty());
        })
        .await;
    }

    #[tokio::test]
    async fn a_wait_that_moves_to_another_task_wakes_that_one() {
        on_a_worker(async |deadlines| {
            let mut wait = Box::pin(deadlines.at(Instant::now() + Duration::from_millis(10)));
            assert!(futures::poll!(&mut wait).is_pending());
            spawn_local(wait).await.unwrap();
        })
        .await;
    }
}
