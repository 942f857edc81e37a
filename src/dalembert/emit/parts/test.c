/* the_model: golden vectors. Exit 0 when all of them hold.
   With -DMODEL_BENCH: the times of single calls instead (POSIX). */

#ifdef MODEL_BENCH
#define _POSIX_C_SOURCE 199309L
#include <stdlib.h>
#include <time.h>
#endif

#include "model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* [golden_tables] */

#ifdef MODEL_BENCH

/* Times of single calls: mean, median, 99.9 % and the longest, less that of the clock itself. */
#define MODEL_CALLS 100000

static double model_times[MODEL_CALLS];
static volatile double model_sink;

static double model_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9*(double)t.tv_sec + (double)t.tv_nsec;
}

static int model_order(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void model_time(const char *name, void (*call)(int, const model_real *),
    const model_real *r, int states)
{
    double clock = 1e9;
    double sum = 0.0;
    int k;
    for (k = 0; k < 1000; ++k) {
        const double start = model_now();
        const double gap = model_now() - start;
        clock = gap < clock ? gap : clock;
        call(k % states, r);
    }
    for (k = 0; k < MODEL_CALLS; ++k) {
        const double start = model_now();
        call(k % states, r);
        model_times[k] = model_now() - start - clock;
        sum += model_times[k];
    }
    qsort(model_times, MODEL_CALLS, sizeof model_times[0], model_order);
    printf("%s mean=%.0f median=%.0f p99.9=%.0f max=%.0f ns\n", name, sum/MODEL_CALLS,
        model_times[MODEL_CALLS/2], model_times[MODEL_CALLS - 1 - MODEL_CALLS/1000],
        model_times[MODEL_CALLS - 1]);
}

/* [timed] */
int main(void)
{
    /* [prepare] */
    /* [times] */
    return 0;
}

#else

/* [epsilon.h] */

/* [differs.h] */

int main(void)
{
    int bad = 0;
    int k;
    /* [prepare] */
    /* [golden] */
    return bad;
}

#endif
