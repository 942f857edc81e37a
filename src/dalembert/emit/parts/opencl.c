/* the_model: golden vectors, many states at once. Exit 0 when all hold. */

#define CL_TARGET_OPENCL_VERSION 120
#include "model.h"

#include <CL/cl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* [opencl_host.h] */

/* [epsilon.h] */

/* [differs.h] */

/* [golden_tables] */
int main(void)
{
    int bad = 0;
#ifdef MODEL_FLOAT
    const char *options = "-DMODEL_FLOAT";
#else
    const char *options = "";
#endif
    model_device device = model_open("model.cl", options);
    /* [prepare] */
    /* [golden] */
    return bad;
}
