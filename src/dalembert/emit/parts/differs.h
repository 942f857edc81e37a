/* Print how far n results are from golden ones, in parts of `size`; return whether too far. */
static int model_differs(const char *name, int n, int states, const model_real *x,
                        const model_real *golden, double size, double tolerance)
{
    double worst = 0.0;
    int bad = 0;
    int i;
    for (i = 0; i < n*states; ++i) {
        const double error = fabs((double)x[i] - (double)golden[i])/size;
        bad |= !(error <= tolerance);
        worst = error > worst ? error : worst;
    }
    printf("%s worst=%.3e tol=%.3e %s\n", name, worst, tolerance, bad ? "MISS" : "ok");
    return bad;
}
