/* the_model: golden vectors, many states at once. Exit 0 when all hold. */

#include "model.cu"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

/* [cuda_host.h] */

/* [epsilon.h] */

/* [differs.h] */

/* [golden_tables] */
int main(void)
{
    int bad = 0;
    printf("%s\n", model_has_device() ? "device: CUDA" : "device: none, host");
    /* [prepare] */
    /* [golden] */
    return bad;
}
