MODEL_SYMBOL int model_entry_external(const casadi_real **arg, casadi_real **res, casadi_int *iw,
    casadi_real *w, int mem);
MODEL_SYMBOL int model_entry_external(const casadi_real **arg, casadi_real **res, casadi_int *iw,
    casadi_real *w, int mem)
{
    /* [room] */
    (void)iw;
    (void)w;
    (void)mem;
    /* [given] */
    /* [call] */
    /* [made] */
    return 0;
}

MODEL_SYMBOL casadi_int model_entry_external_n_in(void);
MODEL_SYMBOL casadi_int model_entry_external_n_in(void)
{
    return /*[n_in]*/;
}

MODEL_SYMBOL casadi_int model_entry_external_n_out(void);
MODEL_SYMBOL casadi_int model_entry_external_n_out(void)
{
    return /*[n_out]*/;
}

MODEL_SYMBOL const char *model_entry_external_name_in(casadi_int i);
MODEL_SYMBOL const char *model_entry_external_name_in(casadi_int i)
{
    switch (i) {
    /* [names_in] */
    default: return 0;
    }
}

MODEL_SYMBOL const char *model_entry_external_name_out(casadi_int i);
MODEL_SYMBOL const char *model_entry_external_name_out(casadi_int i)
{
    switch (i) {
    /* [names_out] */
    default: return 0;
    }
}

MODEL_SYMBOL const casadi_int *model_entry_external_sparsity_in(casadi_int i);
MODEL_SYMBOL const casadi_int *model_entry_external_sparsity_in(casadi_int i)
{
    /* [sparsity_in] */
    switch (i) {
    /* [cases_in] */
    default: return 0;
    }
}

MODEL_SYMBOL const casadi_int *model_entry_external_sparsity_out(casadi_int i);
MODEL_SYMBOL const casadi_int *model_entry_external_sparsity_out(casadi_int i)
{
    /* [sparsity_out] */
    switch (i) {
    /* [cases_out] */
    default: return 0;
    }
}

MODEL_SYMBOL int model_entry_external_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w);
MODEL_SYMBOL int model_entry_external_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w)
{
    if (sz_arg) {
        *sz_arg = /*[n_in]*/;
    }
    if (sz_res) {
        *sz_res = /*[n_out]*/;
    }
    if (sz_iw) {
        *sz_iw = 0;
    }
    if (sz_w) {
        *sz_w = 0;
    }
    return 0;
}

