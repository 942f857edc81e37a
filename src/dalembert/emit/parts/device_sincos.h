MODEL_DEVICE void model_sincos(int n, const model_real *x, model_real *s, model_real *c)
{
    int i;
    for (i = 0; i < n; ++i) {
        s[i] = MODEL_F(sin)(x[i]);
        c[i] = MODEL_F(cos)(x[i]);
    }
}
