typedef struct model_parameters {
    /* [fields] */
} model_parameters;

/* The values of the description; nan where it gives none. */
void model_default_parameters(model_parameters *p);

/* What depends on parameters only: once per set, before the functions below. */
void model_prepare(const model_parameters *p, model_real *r);

