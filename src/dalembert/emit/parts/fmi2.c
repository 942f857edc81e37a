/* FMI 2.0: what is its own. */

EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}

EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
    fmi2String resources, const fmi2CallbackFunctions *f,
    fmi2Boolean visible, fmi2Boolean logging)
{
    Model *m;
    (void)resources;
    (void)visible;
    (void)logging;
    if (!f || !f->allocateMemory || !f->freeMemory || !name || !guid || strcmp(guid, GUID) != 0) {
        return NULL;
    }
    m = f->allocateMemory(1, sizeof *m);
    if (m) {
        m->free_memory = f->freeMemory;
        m->allocate = f->allocateMemory;
        m->logger = f->logger;
        m->environment = f->componentEnvironment;
        m->type = type;
        reset(&m->state);
    }
    return m;
}

EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance,
    fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    (void)has_stop;
    (void)stop;
    begin(&((Model *)c)->state, start, has_tolerance, tolerance);
    return fmi2OK;
}

EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    State *s = &((Model *)c)->state;
    s->starting = 1;
    s->fresh = 0;
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference v[], size_t n,
    fmi2Real y[])
{
    return get(c, v, n, y);
}

EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference v[], size_t n,
    const fmi2Real y[])
{
    return set(c, v, n, y);
}

EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[],
    size_t n, const fmi2ValueReference known[], size_t n_known, const fmi2Real dv[],
    fmi2Real dy[])
{
    return along(c, unknown, n, known, n_known, dv, dy);
}

EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    memset(info, 0, sizeof *info);
    return jump(c, &info->valuesOfContinuousStatesChanged);
}

EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real h, fmi2Boolean keep)
{
    (void)keep;
    return advance(c, time, h);
}

EXPORT fmi2Status fmi2CancelStep(fmi2Component c)
{
    (void)c;
    return fmi2Error;
}

/* There are no variables of other types, no pending steps, no derivatives of inputs. */
#define GET(kind) \
    EXPORT fmi2Status fmi2Get##kind(fmi2Component c, const fmi2ValueReference v[], size_t n, \
        fmi2##kind y[]) \
    { (void)c; (void)v; (void)y; return n ? fmi2Error : fmi2OK; }
#define SET(kind) \
    EXPORT fmi2Status fmi2Set##kind(fmi2Component c, const fmi2ValueReference v[], size_t n, \
        const fmi2##kind y[]) \
    { (void)c; (void)v; (void)y; return n ? fmi2Error : fmi2OK; }
#define BOTH(kind) GET(kind) SET(kind)
BOTH(Integer)
BOTH(Boolean)
BOTH(String)

#define STATUS(name, type) \
    EXPORT fmi2Status name(fmi2Component c, fmi2StatusKind kind, type *y) \
    { (void)c; (void)kind; (void)y; return fmi2Discard; }
STATUS(fmi2GetStatus, fmi2Status)
STATUS(fmi2GetRealStatus, fmi2Real)
STATUS(fmi2GetIntegerStatus, fmi2Integer)
STATUS(fmi2GetBooleanStatus, fmi2Boolean)
STATUS(fmi2GetStringStatus, fmi2String)

#define DERIVATIVES(name, type) \
    EXPORT fmi2Status name(fmi2Component c, const fmi2ValueReference v[], size_t n, \
        const fmi2Integer order[], type y[]) \
    { (void)c; (void)v; (void)n; (void)order; (void)y; return fmi2Error; }
DERIVATIVES(fmi2SetRealInputDerivatives, const fmi2Real)
DERIVATIVES(fmi2GetRealOutputDerivatives, fmi2Real)
