/* Sines and cosines of n angles. Angles up to MODEL_TURN: x = k pi/2 + y, pi/2 in four parts whose
   products with k are exact (Cody and Waite), then the polynomials of fdlibm, without branches;
   within 2 units in the last place. Others, and all with MODEL_LIBM_SINCOS, are left to libm. */
#if defined(__FAST_MATH__) || (FLT_EVAL_METHOD != 0)
#ifndef MODEL_LIBM_SINCOS
#define MODEL_LIBM_SINCOS
#endif
#endif

#ifdef MODEL_LIBM_SINCOS
static void model_sincos(int n, const model_real *x, model_real *s, model_real *c)
{
    int i;
    for (i = 0; i < n; ++i) {
        s[i] = MODEL_F(sin)(x[i]);
        c[i] = MODEL_F(cos)(x[i]);
    }
}
#else
#ifdef MODEL_FLOAT
#define MODEL_TURN 3000.0f
#define MODEL_ROUND 12582912.0f
#define MODEL_PARTS(x, k) \
    ((x) - (k)*1.5703125f - (k)*4.837512969970703e-4f \
      - (k)*7.549533620476723e-8f - (k)*2.5633440682570896e-12f)
#else
#define MODEL_TURN 1e5
#define MODEL_ROUND 6755399441055744.0
#define MODEL_PARTS(x, k) \
    ((x) - (k)*1.5707963267341256 - (k)*6.077100506303966e-11 \
      - (k)*2.0222662487111665e-21 - (k)*8.4784276603689e-32)
#endif

static inline void model_sincos(int n, const model_real *restrict x, model_real *restrict s,
                               model_real *restrict c)
{
    int i;
    int far = 0;
    for (i = 0; i < n; ++i) {
        const model_real k = (x[i]*MODEL_K(0.63661977236758134) + MODEL_ROUND) - MODEL_ROUND;
        const model_real y = MODEL_PARTS(x[i], k);
        const model_real z = y*y;
        const model_real zz = z*z;
        const model_real s2 = MODEL_K(-2.50507602534068634195e-08)
            + z*MODEL_K(1.58969099521155010221e-10);
        const model_real s1 = MODEL_K(-1.98412698298579493134e-04)
            + z*MODEL_K(2.75573137070700676789e-06);
        const model_real s0 = MODEL_K(-1.66666666666666324348e-01)
            + z*MODEL_K(8.33333333332248946124e-03);
        const model_real c2 = MODEL_K(2.08757232129817482790e-09)
            + z*MODEL_K(-1.13596475577881948265e-11);
        const model_real c1 = MODEL_K(2.48015872894767294178e-05)
            + z*MODEL_K(-2.75573143513906633035e-07);
        const model_real c0 = MODEL_K(4.16666666666666019037e-02)
            + z*MODEL_K(-1.38888888888741095749e-03);
        const model_real sy = y + (y*z)*(s0 + zz*(s1 + zz*s2));
        const model_real cy = MODEL_K(1.0) + z*(MODEL_K(-0.5) + z*(c0 + zz*(c1 + zz*c2)));
        const model_real m = k - MODEL_K(4.0)*((k*MODEL_K(0.25) + MODEL_ROUND) - MODEL_ROUND);
        const int odd = MODEL_F(fabs)(MODEL_F(fabs)(m) - MODEL_K(1.0)) < MODEL_K(0.5);
        const model_real a = odd ? cy : sy;
        const model_real b = odd ? sy : cy;
        s[i] = MODEL_F(fabs)(m - MODEL_K(0.5)) > MODEL_K(1.0) ? -a : a;
        c[i] = MODEL_F(fabs)(m + MODEL_K(0.5)) > MODEL_K(1.0) ? -b : b;
    }
    for (i = 0; i < n; ++i) {
        far |= !(MODEL_F(fabs)(x[i]) <= MODEL_TURN);
    }
    for (i = 0; far && i < n; ++i) {
        if (!(MODEL_F(fabs)(x[i]) <= MODEL_TURN)) {
            s[i] = MODEL_F(sin)(x[i]);
            c[i] = MODEL_F(cos)(x[i]);
        }
    }
}
#endif
