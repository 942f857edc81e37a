/* FMI 3.0 for Model Exchange and Co-Simulation. */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3IntermediateUpdateCallback)(void);
typedef void (*fmi3Callback)(void);

typedef struct {
    State state;
    fmi3LogMessageCallback logger;
    fmi3InstanceEnvironment environment;
} Model;

/* Tell the importer what is wrong, and what comes of it. */
static fmi3Status complain(const Model *m, fmi3Status status, const char *text)
{
    if (m->logger) {
        m->logger(m->environment, status, "logStatusError", text);
    }
    return status;
}

static fmi3Instance instantiate(fmi3String name, fmi3String token,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger)
{
    Model *m;
    if (!name || !token || strcmp(token, GUID) != 0) {
        return NULL;
    }
    m = calloc(1, sizeof *m);
    if (m) {
        m->logger = logger;
        m->environment = environment;
        reset(&m->state);
    }
    return m;
}

EXPORT const char *fmi3GetVersion(void)
{
    return "3.0";
}

EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n,
    const fmi3String kinds[])
{
    (void)c;
    (void)on;
    (void)n;
    (void)kinds;
    return fmi3OK;
}

EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger)
{
    (void)resources;
    (void)visible;
    (void)logging;
    return instantiate(name, token, environment, logger);
}

EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events,
    fmi3Boolean early, const fmi3ValueReference required[], size_t n_required,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
    fmi3IntermediateUpdateCallback update)
{
    (void)resources;
    (void)visible;
    (void)logging;
    (void)events;
    (void)early;
    (void)required;
    (void)n_required;
    (void)update;
    return instantiate(name, token, environment, logger);
}

EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger, fmi3Callback update,
    fmi3Callback lock, fmi3Callback unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)environment;
    (void)logger;
    (void)update;
    (void)lock;
    (void)unlock;
    return NULL;
}

EXPORT void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}

EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance,
    fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    State *s = &((Model *)c)->state;
    (void)has_stop;
    (void)stop;
    s->time = start;
    s->drift = has_tolerance && tolerance > 0.0 ? 10.0*tolerance : DRIFT;
    s->starting = 1;
    s->fresh = 0;
    return fmi3OK;
}

EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    State *s = &((Model *)c)->state;
    if (!refresh(s)) {
        return complain(c, fmi3Error, "no start is found: the loops do not close, or are singular");
    }
    s->starting = 0;
    return fmi3OK;
}

EXPORT fmi3Status fmi3Reset(fmi3Instance c)
{
    reset(&((Model *)c)->state);
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference v[], size_t n,
    fmi3Float64 y[], size_t n_values)
{
    State *s = &((Model *)c)->state;
    size_t i;
    if (n_values != n) {
        return fmi3Error;
    }
    for (i = 0; i < n; ++i) {
        const double *place = v[i] == VR_END ? &s->time : value(s, v[i]);
        if (!place) {
            return complain(c, fmi3Error, "there is no variable of this reference");
        }
        y[i] = *place;
    }
    return !s->fresh || s->good ? fmi3OK : fmi3Discard;
}

EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference v[], size_t n,
    const fmi3Float64 y[], size_t n_values)
{
    State *s = &((Model *)c)->state;
    size_t i;
    if (n_values != n) {
        return fmi3Error;
    }
    for (i = 0; i < n; ++i) {
        if (v[i] < VR_DX) {
            s->x[v[i]] = y[i];
        } else if (v[i] >= VR_U && v[i] < VR_E) {
            s->u[v[i] - VR_U] = y[i];
        } else if (v[i] >= VR_P && v[i] < VR_END) {
            s->p[v[i] - VR_P] = y[i];
        } else {
            return fmi3Error;
        }
        s->fresh = 0;
    }
    return fmi3OK;
}

/* Columns of the Jacobian by exact differentiation: states and forces are known. */
EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknown[],
    size_t n, const fmi3ValueReference known[], size_t n_known, const fmi3Float64 dv[],
    size_t n_seed, fmi3Float64 dy[], size_t n_made)
{
    State *s = &((Model *)c)->state;
    double d[NX + NU + 1];
    double made[NX + 2];
    size_t i;
    if (n_seed != n_known || n_made != n) {
        return fmi3Error;
    }
    memset(d, 0, sizeof d);
    for (i = 0; i < n_known; ++i) {
        if (known[i] < VR_DX) {
            d[known[i]] = dv[i];
        } else if (known[i] >= VR_U && known[i] < VR_E) {
            d[NX + known[i] - VR_U] = dv[i];
        } else {
            return fmi3Error;
        }
    }
    if (!refresh(s)) {
        return fmi3Discard;
    }
    turn(s, d, made);
    for (i = 0; i < n; ++i) {
        if (unknown[i] < VR_DX) {
            dy[i] = d[unknown[i]];
        } else if (unknown[i] < VR_U) {
            dy[i] = made[unknown[i] - VR_DX];
        } else if (unknown[i] >= VR_E && unknown[i] < VR_P) {
            dy[i] = made[NX + unknown[i] - VR_E];
        } else {
            return fmi3Error;
        }
    }
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *kept)
{
    if (!*kept) {
        *kept = calloc(1, sizeof(State));
    }
    if (!*kept) {
        return fmi3Error;
    }
    memcpy(*kept, &((Model *)c)->state, sizeof(State));
    return fmi3OK;
}

EXPORT fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState kept)
{
    memcpy(&((Model *)c)->state, kept, sizeof(State));
    return fmi3OK;
}

EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *kept)
{
    (void)c;
    free(*kept);
    *kept = NULL;
    return fmi3OK;
}

EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState kept, size_t *size)
{
    (void)c;
    (void)kept;
    *size = sizeof(State);
    return fmi3OK;
}

EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState kept, fmi3Byte bytes[],
    size_t size)
{
    (void)c;
    if (size < sizeof(State)) {
        return fmi3Error;
    }
    memcpy(bytes, kept, sizeof(State));
    return fmi3OK;
}

EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size,
    fmi3FMUState *kept)
{
    (void)c;
    if (size != sizeof(State)) {
        return fmi3Error;
    }
    if (!*kept) {
        *kept = calloc(1, sizeof(State));
    }
    if (!*kept) {
        return fmi3Error;
    }
    memcpy(*kept, bytes, sizeof(State));
    return fmi3OK;
}

/* States that have left their place are brought back here, where FMI lets them jump. */
EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again,
    fmi3Boolean *terminate, fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *next,
    fmi3Float64 *next_time)
{
    State *s = &((Model *)c)->state;
    double x[NX];
    *again = *terminate = *nominals = *values = *next = false;
    *next_time = 0.0;
    memcpy(x, s->x, sizeof x);
    refresh(s);
    if (!settle(s, s->time)) {
        return complain(c, fmi3Error, "the loops do not close");
    }
    if (differ(x, s->x, s->drift)) {
        *values = true;
        s->fresh = 0;
    } else {
        memcpy(s->x, x, sizeof x);
    }
    return fmi3OK;
}

EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean last,
    fmi3Boolean *event, fmi3Boolean *terminate)
{
    State *s = &((Model *)c)->state;
    double x[NX];
    (void)last;
    *terminate = false;
    memcpy(x, s->x, sizeof x);
    prepare(s);
    *event = !settle(s, s->time) || differ(x, s->x, s->drift);
    memcpy(s->x, x, sizeof x);
    return fmi3OK;
}

EXPORT fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time)
{
    State *s = &((Model *)c)->state;
    s->time = time;
    s->fresh = s->fresh && !TIMED;
    return fmi3OK;
}

EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n)
{
    State *s = &((Model *)c)->state;
    if (n != NX) {
        return fmi3Error;
    }
    memcpy(s->x, x, sizeof s->x);
    s->fresh = 0;
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    if (n != NX) {
        return fmi3Error;
    }
    memcpy(x, ((Model *)c)->state.x, NX*sizeof(double));
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dx[], size_t n)
{
    State *s = &((Model *)c)->state;
    if (n != NX) {
        return fmi3Error;
    }
    if (!refresh(s)) {
        return complain(c, fmi3Discard, "the loops lose rank: a singular pose");
    }
    memcpy(dx, s->dx, sizeof s->dx);
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    size_t i;
    (void)c;
    for (i = 0; i < n; ++i) {
        x[i] = 1.0;
    }
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n)
{
    (void)c;
    *n = NX;
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n)
{
    (void)c;
    *n = 0;
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 z[], size_t n)
{
    (void)c;
    (void)z;
    return n ? fmi3Error : fmi3OK;
}

EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 h, fmi3Boolean keep,
    fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached)
{
    State *s = &((Model *)c)->state;
    const double count = ceil(h/STEP - 1e-9);
    const int n = count < 1.0 ? 1 : (int)count;
    int i;
    (void)keep;
    *event = *terminate = *early = false;
    *reached = time;
    if (!(h >= 0.0) || count > 1e8) {
        return fmi3Error;
    }
    prepare(s);
    s->starting = 0;
    for (i = 0; i < n && h > 0.0; ++i) {
        if (!step(s, time + i*(h/n), h/n)) {
            *reached = s->time = time + i*(h/n);
            s->fresh = 0;
            return complain(c, fmi3Discard, "the motion meets a singular pose");
        }
    }
    *reached = s->time = time + h;
    s->fresh = 0;
    refresh(s);
    for (i = 0; i < NX; ++i) {
        if (!(fabs(s->x[i]) < HUGE_VAL)) {
            return fmi3Discard;
        }
    }
    return fmi3OK;
}

/* Changes of mode ask for nothing here. */
#define MODE(name) EXPORT fmi3Status name(fmi3Instance c) { (void)c; return fmi3OK; }
MODE(fmi3EnterEventMode)
MODE(fmi3EnterContinuousTimeMode)
MODE(fmi3EnterStepMode)
MODE(fmi3Terminate)
MODE(fmi3EvaluateDiscreteStates)
MODE(fmi3EnterConfigurationMode)
MODE(fmi3ExitConfigurationMode)

/* There are no variables of other types, no clocks and no partitions. */
#define GET(kind, type) \
    EXPORT fmi3Status fmi3Get##kind(fmi3Instance c, const fmi3ValueReference v[], size_t n, \
        type y[], size_t n_values) \
    { (void)c; (void)v; (void)y; (void)n_values; return n ? fmi3Error : fmi3OK; }
#define SET(kind, type) \
    EXPORT fmi3Status fmi3Set##kind(fmi3Instance c, const fmi3ValueReference v[], size_t n, \
        const type y[], size_t n_values) \
    { (void)c; (void)v; (void)y; (void)n_values; return n ? fmi3Error : fmi3OK; }
#define BOTH(kind, type) GET(kind, type) SET(kind, type)
BOTH(Float32, float)
BOTH(Int8, int8_t)
BOTH(UInt8, uint8_t)
BOTH(Int16, int16_t)
BOTH(UInt16, uint16_t)
BOTH(Int32, int32_t)
BOTH(UInt32, uint32_t)
BOTH(Int64, int64_t)
BOTH(UInt64, uint64_t)
BOTH(Boolean, fmi3Boolean)
BOTH(String, fmi3String)

EXPORT fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference v[], size_t n,
    size_t sizes[], const fmi3Byte *y[], size_t n_values)
{
    (void)c;
    (void)v;
    (void)sizes;
    (void)y;
    (void)n_values;
    return n ? fmi3Error : fmi3OK;
}

EXPORT fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference v[], size_t n,
    const size_t sizes[], const fmi3Byte *const y[], size_t n_values)
{
    (void)c;
    (void)v;
    (void)sizes;
    (void)y;
    (void)n_values;
    return n ? fmi3Error : fmi3OK;
}

#define CLOCK(name, type) \
    EXPORT fmi3Status name(fmi3Instance c, const fmi3ValueReference v[], size_t n, type y[]) \
    { (void)c; (void)v; (void)y; return n ? fmi3Error : fmi3OK; }
CLOCK(fmi3GetClock, fmi3Boolean)
CLOCK(fmi3SetClock, const fmi3Boolean)
CLOCK(fmi3GetShiftDecimal, fmi3Float64)
CLOCK(fmi3SetShiftDecimal, const fmi3Float64)
CLOCK(fmi3SetIntervalDecimal, const fmi3Float64)

#define INTERVALS(name, a, b) \
    EXPORT fmi3Status name(fmi3Instance c, const fmi3ValueReference v[], size_t n, a x[], b y[]) \
    { (void)c; (void)v; (void)x; (void)y; return n ? fmi3Error : fmi3OK; }
INTERVALS(fmi3GetIntervalDecimal, fmi3Float64, int)
INTERVALS(fmi3GetShiftFraction, uint64_t, uint64_t)
INTERVALS(fmi3SetShiftFraction, const uint64_t, const uint64_t)
INTERVALS(fmi3SetIntervalFraction, const uint64_t, const uint64_t)

EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference v[], size_t n,
    uint64_t x[], uint64_t y[], int z[])
{
    (void)c;
    (void)v;
    (void)x;
    (void)y;
    (void)z;
    return n ? fmi3Error : fmi3OK;
}

EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference v,
    size_t *n)
{
    (void)c;
    (void)v;
    *n = 0;
    return fmi3Error;
}

EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference v, size_t at[],
    fmi3ValueReference from[], size_t from_at[], int kinds[], size_t n)
{
    (void)c;
    (void)v;
    (void)at;
    (void)from;
    (void)from_at;
    (void)kinds;
    (void)n;
    return fmi3Error;
}

EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknown[],
    size_t n, const fmi3ValueReference known[], size_t n_known, const fmi3Float64 seed[],
    size_t n_seed, fmi3Float64 made[], size_t n_made)
{
    (void)c;
    (void)unknown;
    (void)n;
    (void)known;
    (void)n_known;
    (void)seed;
    (void)n_seed;
    (void)made;
    (void)n_made;
    return fmi3Error;
}

EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference v[], size_t n,
    const int32_t orders[], fmi3Float64 y[], size_t n_values)
{
    (void)c;
    (void)v;
    (void)n;
    (void)orders;
    (void)y;
    (void)n_values;
    return fmi3Error;
}

EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference v,
    fmi3Float64 time)
{
    (void)c;
    (void)v;
    (void)time;
    return fmi3Error;
}
