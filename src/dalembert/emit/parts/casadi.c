/* the_model for casadi.external. */
/* Functions that casadi.external loads. Compile together with model.c as a shared library.
   Inputs and results are dense and stored by columns; a missing input counts as zeros. */

#include "model.h"

#ifndef casadi_real
#define casadi_real double
#endif
#ifndef casadi_int
#define casadi_int long long int
#endif
#if defined(_WIN32)
#define MODEL_SYMBOL __declspec(dllexport)
#elif defined(__GNUC__)
#define MODEL_SYMBOL __attribute__((visibility("default")))
#else
#define MODEL_SYMBOL
#endif

/* Copy a matrix by rows to one by columns; back with rows and columns exchanged. */
static void model_turned(int rows, int columns, const casadi_real *x, casadi_real *y)
{
    int i;
    int k;
    for (i = 0; i < rows; ++i) {
        for (k = 0; k < columns; ++k) {
            y[k*rows + i] = x ? x[i*columns + k] : 0.0;
        }
    }
}

/* [externals] */
