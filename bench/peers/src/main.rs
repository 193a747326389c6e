// SPDX-License-Identifier: MIT
// fib(n) without cut-off on rayon's join: every call forks, as in apps/fib. Prints one line of JSON.
//
//     skua-peers --n 36 --workers 2 --repeat 5
//
// One run before the timed ones warms the pool. Every value is checked; a wrong one ends with exit code 1, and
// wrong input with exit code 2 and one line that says what would be right.

use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "usage: skua-peers [--n 0..90] [--workers 1..1024] [--repeat 1..100000]";

struct Options {
    n: u32,
    workers: usize,
    repeat: u32,
}

fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// (fib(n), joins that fib(n) makes), by iteration. Joins: F(n+1) - 1, since every call with n >= 2 makes one.
fn expected(n: u32) -> (u64, u64) {
    let (mut this, mut next) = (0u64, 1u64);
    for _ in 0..n {
        (this, next) = (next, this + next);
    }
    (this, next - 1)
}

fn number(name: &str, text: Option<&String>, least: u64, most: u64) -> Result<u64, String> {
    let text = text.ok_or(format!("{name} needs a number from {least} to {most}"))?;
    match text.parse::<u64>() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => Err(format!("{name} is '{text}'; it must be a whole number from {least} to {most}")),
    }
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut chosen = Options { n: 32, workers: 1, repeat: 5 };
    let mut at = 0;
    while at < arguments.len() {
        let value = arguments.get(at + 1);
        match arguments[at].as_str() {
            // Value and joins of fib(90) fit into 64 bits; no machine lives to see it computed.
            "--n" => chosen.n = number("--n", value, 0, 90)? as u32,
            "--workers" => chosen.workers = number("--workers", value, 1, 1024)? as usize,
            "--repeat" => chosen.repeat = number("--repeat", value, 1, 100_000)? as u32,
            other => return Err(format!("'{other}' is no option; {USAGE}")),
        }
        at += 2;
    }
    Ok(chosen)
}

fn measure(chosen: &Options) -> Result<String, String> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(chosen.workers)
        .build()
        .map_err(|e| format!("cannot start {} workers: {e}", chosen.workers))?;
    let (right, forks) = expected(chosen.n);
    let mut times = Vec::new();
    for run in 0..=chosen.repeat {
        let start = Instant::now();
        let value = pool.install(|| fib(std::hint::black_box(chosen.n)));
        let seconds = start.elapsed().as_secs_f64();
        if value != right {
            return Err(format!("fib({}) is {right}, but this run computed {value}", chosen.n));
        }
        if run > 0 {
            times.push(format!("{seconds:.9}"));
        }
    }
    Ok(format!(
        "{{\"runner\":\"rayon\",\"workers\":{},\"n\":{},\"forks\":{},\"times_s\":[{}],\"value\":{}}}",
        chosen.workers,
        chosen.n,
        forks,
        times.join(","),
        right
    ))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chosen = match parse(&arguments) {
        Ok(chosen) => chosen,
        Err(why) => {
            eprintln!("skua-peers: {why}");
            return ExitCode::from(2);
        }
    };
    match measure(&chosen) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("skua-peers: {why}");
            ExitCode::from(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_joins_are_those_of_the_recursion() {
        fn joins(n: u32) -> u64 {
            if n < 2 { 0 } else { 1 + joins(n - 1) + joins(n - 2) }
        }
        for n in 0..20 {
            assert_eq!(expected(n), (fib(n), joins(n)));
        }
        assert_eq!(expected(90).0, 2_880_067_194_370_816_120);
    }

    #[test]
    fn wrong_input_is_refused() {
        for wrong in [["--n", "91"], ["--n", "x"], ["--workers", "0"], ["--repeat", "-1"], ["--m", "1"]] {
            assert!(parse(&wrong.map(String::from)).is_err());
        }
        assert!(parse(&["--n".to_string()]).is_err());
    }
}
