// SPDX-License-Identifier: MIT
// How the runners on rayon measure, as bench/runners.hpp does, and what they read and print.

use std::process::ExitCode;
use std::time::{Duration, Instant};

pub type Figures = Vec<(String, f64)>;
pub type Failure = String;

pub fn median(mut seen: Vec<f64>) -> f64 {
    seen.sort_by(f64::total_cmp);
    seen[seen.len() / 2]
}

pub fn batch_us(batch: u32, f: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..batch).for_each(|_| f());
    start.elapsed().as_secs_f64() * 1e6 / f64::from(batch)
}

/// Median microseconds of f(), over batches of calls, for at least 0.1 s and 5 batches.
pub fn us_per_call(batch: u32, f: &mut impl FnMut()) -> f64 {
    let mut seen = Vec::new();
    let start = Instant::now();
    while seen.len() < 5 || start.elapsed() < Duration::from_millis(100) {
        seen.push(batch_us(batch, f));
    }
    median(seen)
}

pub fn warm_up(f: &mut impl FnMut()) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(20) {
        f();
    }
}

pub fn check(right: bool, what: &str) -> Result<(), Failure> {
    if right { Ok(()) } else { Err(format!("wrong answer: {what}")) }
}

pub fn number(name: &str, text: &str, most: u64) -> Result<u64, Failure> {
    match text.parse::<u64>() {
        Ok(value) if (1..=most).contains(&value) => Ok(value),
        _ => Err(format!("{name} is '{text}'; it must be a whole number from 1 to {most}")),
    }
}

/// The main() of a runner: prints its figures as one line of JSON. Wrong options end with exit code 2, a wrong answer with 1.
pub fn run<O>(name: &str, parse: fn(&[String]) -> Result<O, Failure>, measure: fn(&O) -> Result<Figures, Failure>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (code, why) = match parse(&arguments).map(|chosen| measure(&chosen)) {
        Err(why) => (2, why),
        Ok(Err(why)) => (1, why),
        Ok(Ok(all)) => {
            let parts: Vec<String> = all.iter().map(|(key, us)| format!("\"{key}\": {us:.6}")).collect();
            println!("{{{}}}", parts.join(", "));
            return ExitCode::SUCCESS;
        }
    };
    eprintln!("{name}: {why}");
    ExitCode::from(code)
}
