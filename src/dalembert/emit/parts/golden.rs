//! Golden vectors. Exit 0 when all of them hold.

// [module]

fn differs(name: &str, x: &[f64], golden: &[f64], size: f64, tolerance: f64) -> bool {
    let mut worst = 0.0;
    let mut bad = false;
    for (a, b) in x.iter().zip(golden) {
        let error = (a - b).abs()/size;
        bad |= !(error <= tolerance);
        worst = if error > worst { error } else { worst };
    }
    let verdict = if bad { "MISS" } else { "ok" };
    println!("{} worst={:.3e} tol={:.3e} {}", name, worst, tolerance, verdict);
    bad
}

fn main() {
    let mut bad = false;
    // [prepare]
    // [golden]
    std::process::exit(if bad { 1 } else { 0 });
}
