// SPDX-License-Identifier: MIT
// The runner of regions_bench on rayon: the loops of bench/regions_loop.cpp from a task of the pool, and the calls of
// bench/regions.hpp from the main thread, which is no worker. Prints one line of JSON: medians, microseconds.
//
//     skua-peer-regions --only main:rayon --workers 2 --index-ps 4000
//
// Every answer is checked; a wrong one ends with exit code 1, and wrong input with exit code 2.

mod measure;

use measure::{batch_us, check, median, number, run, us_per_call, warm_up, Failure, Figures};
use rayon::prelude::*;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

const USAGE: &str = "usage: skua-peer-regions --only rayon|main:rayon [--workers 1..1024] [--index-ps 1..1000000]";

// ---- loops from inside ---------------------------------------------------------------------------------------------

/// The work of one index, some 4 ns; never inlined, so that no caller vectorises it.
#[inline(never)]
fn touch(x: f32, sum: &mut f32) {
    let mut y = x;
    for _ in 0..5 {
        y = 1.0 / (1.0 + y);
    }
    *sum += (y * 16.0) as i32 as f32;
}

fn pieces(input: &[f32], sum: &mut [f32]) {
    input.iter().zip(sum).for_each(|(x, s)| touch(*x, s));
}

/// Median microseconds of region(input, sum), which must add the work of each index once.
fn us_per_region(us: u64, index_ps: u64, region: impl Fn(&[f32], &mut [f32])) -> Result<f64, Failure> {
    let n = (us * 1_000_000 / index_ps) as usize;
    let input: Vec<f32> = (0..n).map(|i| (i % 97) as f32 / 8.0).collect();
    let mut sum = vec![0.0f32; n];
    let mut regions = 0u32;
    let mut counted = || {
        region(black_box(&input), black_box(&mut sum));
        regions += 1;
    };
    warm_up(&mut counted);
    let took = us_per_call(100, &mut counted);
    check(regions <= 1 << 20, "more regions than a float counts")?;
    for (i, (x, s)) in input.iter().zip(&sum).enumerate() {
        let mut once = 0.0;
        touch(*x, &mut once);
        check(*s == once * regions as f32, &format!("index {i} of a loop"))?;
    }
    Ok(took)
}

fn loops(index_ps: u64) -> Result<Figures, Failure> {
    let mut all = Figures::new();
    for us in [12, 50, 600] {
        let by_iterator = us_per_region(us, index_ps, |input, sum| {
            sum.par_iter_mut().zip(input).for_each(|(s, x)| touch(*x, s));
        })?;
        let by_join = us_per_region(us, index_ps, |input, sum| {
            let middle = sum.len() / 2;
            let (left, right) = sum.split_at_mut(middle);
            rayon::join(|| pieces(&input[..middle], left), || pieces(&input[middle..], right));
        })?;
        all.push((format!("loop_{us}"), by_iterator));
        all.push((format!("join_{us}"), by_join));
    }
    Ok(all)
}

// ---- calls from the main thread ------------------------------------------------------------------------------------

const GROUP_TASKS: i64 = 1000;
const THREAD_TASKS: i64 = 20_000;
const THREADS: i64 = 3;
const OUTSIDE_TASKS: i64 = 100_000;
const FLOATS: usize = 1000;
const FLOAT_LOOPS: u32 = 2000;

/// Median microseconds of op(a body that does nothing), after op has called a counting body `calls` times, no more and
/// no less. A macro, because the body's type differs and must be visible to the compiler both times.
macro_rules! us_of {
    ($what:expr, $calls:expr, $batch:expr, |$body:ident| $op:expr) => {{
        let seen = AtomicI64::new(0);
        {
            let $body = || {
                seen.fetch_add(1, Relaxed);
            };
            (0..10).for_each(|_| $op);
        }
        check(seen.load(Relaxed) == 10 * $calls, $what)?;
        let $body = || {};
        warm_up(&mut || $op);
        us_per_call($batch, &mut || $op)
    }};
}

/// The scope's closure runs on a worker and spawns there.
fn scope_of(tasks: i64, body: impl Fn() + Sync) {
    let body = &body;
    rayon::scope(|s| (0..tasks).for_each(|_| s.spawn(move |_| body())));
}

/// The scope's closure runs on the calling thread, so every task comes from outside.
fn in_place_scope_of(tasks: i64, body: impl Fn() + Sync) {
    let body = &body;
    rayon::in_place_scope(|s| (0..tasks).for_each(|_| s.spawn(move |_| body())));
}

fn from_threads(body: impl Fn() + Sync) {
    std::thread::scope(|threads| {
        for _ in 0..THREADS {
            threads.spawn(|| in_place_scope_of(THREAD_TASKS, &body));
        }
    });
}

fn us_of_floats() -> Result<f64, Failure> {
    let mut all = vec![0.0f32; FLOATS];
    let mut sweep = || black_box(&mut all).par_iter_mut().for_each(|x| *x += 1.0);
    let seen = (0..FLOAT_LOOPS / 100).map(|_| batch_us(100, &mut sweep)).collect();
    check(all.iter().all(|x| *x == FLOAT_LOOPS as f32), "the sum of 2000 loops")?;
    Ok(median(seen))
}

fn calls() -> Result<Figures, Failure> {
    let mut all = Figures::new();
    let mut add = |key: &str, us: f64| all.push((key.to_string(), us));
    add("for_1", us_of!("par_iter of 1", 1, 100, |body| (0..1).into_par_iter().for_each(|_| body())));
    add("for_64", us_of!("par_iter of 64", 64, 100, |body| (0..64).into_par_iter().for_each(|_| body())));
    add("group", us_of!("scope", 1, 100, |body| scope_of(1, body)));
    add("invoke", us_of!("join", 2, 100, |body| {
        rayon::join(body, body);
    }));
    add("floats", us_of_floats()?);
    add("run_1000", us_of!("1000 tasks", GROUP_TASKS, 10, |body| scope_of(GROUP_TASKS, body)));
    add("threads", us_of!("tasks of 3 threads", THREADS * THREAD_TASKS, 1, |body| from_threads(body)));
    add("outside", us_of!("tasks from outside", OUTSIDE_TASKS, 1, |body| in_place_scope_of(OUTSIDE_TASKS, body)));
    Ok(all)
}

// ---- the command ---------------------------------------------------------------------------------------------------

#[derive(Debug)]
struct Options {
    from_main: bool,
    workers: usize,
    index_ps: u64,
}

fn parse(arguments: &[String]) -> Result<Options, Failure> {
    let mut only = None;
    let mut chosen = Options { from_main: false, workers: 2, index_ps: 4000 };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return Err(format!("{} needs a value; {USAGE}", pair[0])) };
        match (name.as_str(), value.as_str()) {
            ("--only", "rayon" | "main:rayon") => only = Some(value == "main:rayon"),
            ("--only", _) => return Err(format!("--only is '{value}'; allowed: rayon, main:rayon")),
            ("--workers", _) => chosen.workers = number(name, value, 1024)? as usize,
            ("--index-ps", _) => chosen.index_ps = number(name, value, 1_000_000)?,
            _ => return Err(format!("'{name}' is no option; {USAGE}")),
        }
    }
    chosen.from_main = only.ok_or(USAGE)?;
    Ok(chosen)
}

fn measure(chosen: &Options) -> Result<Figures, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(chosen.workers)
        .build_global()
        .map_err(|e| format!("cannot start {} workers: {e}", chosen.workers))?;
    if chosen.from_main {
        return calls();
    }
    let mut all = Err(String::new());
    rayon::scope(|_| all = loops(chosen.index_ps)); // on a worker
    all
}

fn main() -> ExitCode {
    run("skua-peer-regions", parse, measure)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Options, Failure> {
        parse(&words.iter().map(|w| w.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn wrong_input_is_refused() {
        assert!(parsed(&["--only", "rayon"]).is_ok());
        for wrong in [&[][..], &["--only"], &["--only", "tbb"], &["--only", "rayon", "--workers", "0"], &["--m", "1"]] {
            assert!(parsed(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_region_that_loses_an_index_is_found() {
        assert!(us_per_region(12, 4000, |input, sum| pieces(input, sum)).is_ok());
        assert!(us_per_region(12, 4000, |input, sum| pieces(&input[1..], &mut sum[1..])).is_err());
    }
}
