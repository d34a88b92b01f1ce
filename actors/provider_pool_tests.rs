use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use actix::{Arbiter, System};

use super::*;

fn pool(limit: usize, max_waiting: usize) -> PoolHandle {
    let pools = ProviderPools::new(Arbiter::current(), max_waiting);
    pools.pool(&Arc::from("openai"), limit)
}

#[test]
fn a_free_permit_is_taken_at_once_and_comes_back_when_dropped() {
    System::new().block_on(async {
        let pool = pool(2, 10);
        let first = pool.try_acquire().unwrap();
        let _second = pool.try_acquire().unwrap();
        assert!(pool.try_acquire().is_none());
        drop(first);
        assert!(pool.try_acquire().is_some());
    });
}

#[test]
fn those_who_wait_are_served_in_order_and_no_newcomer_overtakes_them() {
    System::new().block_on(async {
        let pool = pool(1, 10);
        let held = pool.try_acquire().unwrap();
        let (first, second) = (pool.join().unwrap(), pool.join().unwrap());
        drop(held);
        assert!(pool.try_acquire().is_none(), "a newcomer overtook");
        let permit = first.await.unwrap();
        let second = actix_rt::spawn(second);
        actix_rt::time::sleep(Duration::from_millis(5)).await;
        assert!(!second.is_finished());
        drop(permit);
        drop(second.await.unwrap().unwrap());
        assert!(pool.try_acquire().is_some());
    });
}

#[test]
fn a_waiter_that_left_is_skipped_and_its_place_is_free_at_once() {
    System::new().block_on(async {
        let pool = pool(1, 2);
        let held = pool.try_acquire().unwrap();
        let (left, stays) = (pool.join().unwrap(), pool.join().unwrap());
        assert_eq!(pool.join().err(), Some(NoPermit::QueueFull));
        drop(left);
        let last = pool.join().unwrap();
        drop(held);
        drop(stays.await.unwrap());
        drop(last.await.unwrap());
        assert_eq!((pool.gate().in_use(), pool.gate().waiting()), (0, 0));
    });
}

#[test]
fn a_permit_that_nobody_picks_up_comes_back() {
    System::new().block_on(async {
        let pool = pool(1, 2);
        let held = pool.try_acquire().unwrap();
        let place = pool.join().unwrap();
        drop(held);
        actix_rt::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(pool.gate().in_use(), 1, "the permit lies ready");
        drop(place);
        assert_eq!((pool.gate().in_use(), pool.gate().waiting()), (0, 0));
    });
}

#[test]
fn many_who_came_and_went_do_not_pile_up() {
    System::new().block_on(async {
        let gate = Gate::new(1);
        let mut pool = ProviderPool {
            gate: Arc::clone(&gate),
            line: VecDeque::new(),
        };
        for _ in 0..1000 {
            let (reply, receiver) = oneshot::channel();
            drop(receiver);
            pool.line.push_back(reply);
            pool.sweep();
        }
        assert!(pool.line.len() <= SWEEP_FROM + 1);
    });
}

#[test]
fn from_many_threads_the_limit_is_never_exceeded_and_no_permit_is_lost() {
    System::new().block_on(async {
        const LIMIT: usize = 4;
        let pool = pool(LIMIT, 10_000);
        let (out, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut arbiters = Vec::new();
        let mut finished = Vec::new();
        for thread in 0..3_u64 {
            let arbiter = Arbiter::new();
            let (pool, out, most) = (pool.clone(), Arc::clone(&out), Arc::clone(&most));
            let (done, finish) = oneshot::channel();
            arbiter.spawn(async move {
                for step in 0..400_u64 {
                    let permit = match pool.try_acquire() {
                        Some(permit) => permit,
                        None => {
                            let place = pool.join().unwrap();
                            // Some leave before their turn.
                            if (step + thread).is_multiple_of(7) {
                                drop(place);
                                continue;
                            }
                            place.await.unwrap()
                        }
                    };
                    let now = out.fetch_add(1, SeqCst) + 1;
                    most.fetch_max(now, SeqCst);
                    let out = Arc::clone(&out);
                    actix_rt::spawn(async move {
                        tokio::task::yield_now().await;
                        out.fetch_sub(1, SeqCst);
                        drop(permit);
                    });
                }
                let _ = done.send(());
            });
            arbiters.push(arbiter);
            finished.push(finish);
        }
        for finish in finished {
            finish.await.unwrap();
        }
        actix_rt::time::sleep(Duration::from_millis(50)).await;
        assert!(
            most.load(SeqCst) <= LIMIT,
            "{most:?} permits were out at once"
        );
        assert_eq!((pool.gate().in_use(), pool.gate().waiting()), (0, 0));
        for arbiter in arbiters {
            arbiter.stop();
        }
    });
}
