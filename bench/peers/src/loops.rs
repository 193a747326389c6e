// SPDX-License-Identifier: MIT
// The runner of loops_bench on rayon: the loops of bench/loops.hpp from a task of the pool. Prints one line of JSON:
// medians, microseconds.
//
//     skua-peer-loops --only rayon --workers 2
//
// Every answer is checked; a wrong one ends with exit code 1, and wrong input with exit code 2.

mod measure;

use measure::{check, number, run, us_per_call, warm_up, Failure, Figures};
use rayon::prelude::*;
use std::hint::black_box;
use std::process::ExitCode;

const USAGE: &str = "usage: skua-peer-loops --only rayon [--workers 1..1024]";
const FEW: usize = 1000;
const MANY: usize = 10_000_000;

/// Median microseconds of add(all), which adds one to each of n floats.
fn us_of_adding(n: usize, batch: u32, add: impl Fn(&mut [f32])) -> Result<f64, Failure> {
    let mut all = vec![0.0f32; n];
    let mut calls = 0u32;
    let mut counted = || {
        add(black_box(&mut all));
        calls += 1;
    };
    warm_up(&mut counted);
    let took = us_per_call(batch, &mut counted);
    check(calls <= 1 << 24, "more calls than a float counts")?;
    check(all.iter().all(|x| *x == calls as f32), "the floats after the loops")?;
    Ok(took)
}

/// Median microseconds of sum(all), the sum of MANY integers, which fits.
fn us_of_summing(sum: impl Fn(&[u32]) -> u32) -> Result<f64, Failure> {
    let all: Vec<u32> = (0..MANY).map(|i| (i % 97) as u32).collect();
    let expected: u32 = all.iter().sum();
    let mut right = true;
    let mut checked = || right &= sum(black_box(&all)) == expected;
    warm_up(&mut checked);
    let took = us_per_call(1, &mut checked);
    check(right, "the sum of the integers")?;
    Ok(took)
}

fn loops() -> Result<Figures, Failure> {
    let add = |all: &mut [f32]| all.par_iter_mut().for_each(|x| *x += 1.0);
    Ok(vec![
        ("few".to_string(), us_of_adding(FEW, 100, add)?),
        ("many".to_string(), us_of_adding(MANY, 1, add)?),
        ("sum".to_string(), us_of_summing(|all| all.par_iter().sum())?),
    ])
}

fn parse(arguments: &[String]) -> Result<usize, Failure> {
    let mut only = None;
    let mut workers = 2;
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return Err(format!("{} needs a value; {USAGE}", pair[0])) };
        match (name.as_str(), value.as_str()) {
            ("--only", "rayon") => only = Some(()),
            ("--only", _) => return Err(format!("--only is '{value}'; allowed: rayon")),
            ("--workers", _) => workers = number(name, value, 1024)? as usize,
            _ => return Err(format!("'{name}' is no option; {USAGE}")),
        }
    }
    only.ok_or(USAGE)?;
    Ok(workers)
}

fn measure_on(workers: &usize) -> Result<Figures, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(*workers)
        .build_global()
        .map_err(|e| format!("cannot start {workers} workers: {e}"))?;
    let mut all = Err(String::new());
    rayon::scope(|_| all = loops()); // on a worker
    all
}

fn main() -> ExitCode {
    run("skua-peer-loops", parse, measure_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<usize, Failure> {
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
    fn a_loop_that_loses_an_element_is_found() {
        assert!(us_of_adding(FEW, 100, |all| all.iter_mut().for_each(|x| *x += 1.0)).is_ok());
        assert!(us_of_adding(FEW, 100, |all| all[1..].iter_mut().for_each(|x| *x += 1.0)).is_err());
        assert!(us_of_summing(|all| all[1..].iter().sum::<u32>() + 1).is_err());
    }
}
