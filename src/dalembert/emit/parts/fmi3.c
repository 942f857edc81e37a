/* FMI 3.0: what is its own. */

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

EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance,
    fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    State *s = &((Model *)c)->state;
    (void)has_stop;
    (void)stop;
    begin(s, start, has_tolerance, tolerance);
    s->starting = 1;
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference v[], size_t n,
    fmi3Float64 y[], size_t n_values)
{
    return n_values == n ? get(c, v, n, y) : fmi3Error;
}

EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference v[], size_t n,
    const fmi3Float64 y[], size_t n_values)
{
    return n_values == n ? set(c, v, n, y) : fmi3Error;
}

EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknown[],
    size_t n, const fmi3ValueReference known[], size_t n_known, const fmi3Float64 dv[],
    size_t n_seed, fmi3Float64 dy[], size_t n_made)
{
    if (n_seed != n_known || n_made != n) {
        return fmi3Error;
    }
    return along(c, unknown, n, known, n_known, dv, dy);
}

EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again,
    fmi3Boolean *terminate, fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *next,
    fmi3Float64 *next_time)
{
    *again = *terminate = *nominals = *values = *next = false;
    *next_time = 0.0;
    return jump(c, values);
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

EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 h, fmi3Boolean keep,
    fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached)
{
    State *s = &((Model *)c)->state;
    fmi3Status status;
    (void)keep;
    *event = *terminate = *early = false;
    s->time = time;
    status = advance(c, time, h);
    *reached = s->time;
    return status;
}

MODE(EnterStepMode)
MODE(EvaluateDiscreteStates)
MODE(EnterConfigurationMode)
MODE(ExitConfigurationMode)

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
