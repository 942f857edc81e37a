// [about]

#![no_std]
#![allow(non_snake_case, non_upper_case_globals, unused_variables)]
#![allow(clippy::all, dead_code, unused_parens)]

// [counts]

// [tables]

/// Functions that the core library lacks: those of the C library, without unsafety for callers.
mod math {
    macro_rules! libm {
        ($($name:ident($($x:ident),*))*) => {
            mod c {
                extern "C" {
                    $(pub fn $name($($x: f64),*) -> f64;)*
                }
            }
            $(pub fn $name($($x: f64),*) -> f64 {
                unsafe { c::$name($($x),*) }
            })*
        };
    }
    pub fn fabs(x: f64) -> f64 {
        f64::from_bits(x.to_bits() & 0x7fff_ffff_ffff_ffff)
    }
    pub fn min(x: f64, y: f64) -> f64 {
        if x < y || x.is_nan() { x } else { y }
    }
    pub fn max(x: f64, y: f64) -> f64 {
        if x > y || x.is_nan() { x } else { y }
    }
    pub fn sign(x: f64) -> f64 {
        if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x }
    }
    /// Sine and cosine, without branches and within 2 units in the last place up to 1e5.
    pub fn sincos(x: f64) -> (f64, f64) {
        const ROUND: f64 = 6755399441055744.0;
        if !(fabs(x) <= 1e5) {
            return (sin(x), cos(x));
        }
        let k = (x*(0.63661977236758134) + ROUND) - ROUND;
        let y = (x - k*1.5707963267341256 - k*6.077100506303966e-11 - k*2.0222662487111665e-21 - k*8.4784276603689e-32);
        let z = y*y;
        let zz = z*z;
        let s2 = (-2.50507602534068634195e-08)
            + z*(1.58969099521155010221e-10);
        let s1 = (-1.98412698298579493134e-04)
            + z*(2.75573137070700676789e-06);
        let s0 = (-1.66666666666666324348e-01)
            + z*(8.33333333332248946124e-03);
        let c2 = (2.08757232129817482790e-09)
            + z*(-1.13596475577881948265e-11);
        let c1 = (2.48015872894767294178e-05)
            + z*(-2.75573143513906633035e-07);
        let c0 = (4.16666666666666019037e-02)
            + z*(-1.38888888888741095749e-03);
        let sy = y + (y*z)*(s0 + zz*(s1 + zz*s2));
        let cy = (1.0) + z*((-0.5) + z*(c0 + zz*(c1 + zz*c2)));
        let m = k - (4.0)*((k*(0.25) + ROUND) - ROUND);
        let odd = fabs(fabs(m) - (1.0)) < (0.5);
        let a = if odd { cy } else { sy };
        let b = if odd { sy } else { cy };
        (if fabs(m - 0.5) > 1.0 { -a } else { a },
         if fabs(m + 0.5) > 1.0 { -b } else { b })
    }
    // [libm]
}

// [defaults]

// [functions]
