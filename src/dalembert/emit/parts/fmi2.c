/* FMI 2.0 for Model Exchange and Co-Simulation. */

/* The types of FMI 2.0. */
typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated }
    fmi2StatusKind;
typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

typedef struct {
    State state;
    void (*free_memory)(void *);
    void *(*allocate)(size_t, size_t);
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    fmi2ComponentEnvironment environment;
    fmi2Type type;
} Model;

/* Tell the importer what is wrong, and what comes of it. */
static fmi2Status complain(const Model *m, fmi2Status status, const char *text)
{
    if (m->logger) {
        m->logger(m->environment, "model", status, "logStatusError", text);
    }
    return status;
}

EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}

EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n,
                                      const fmi2String kinds[])
{
    (void)c;
    (void)on;
    (void)n;
    (void)kinds;
    return fmi2OK;
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

EXPORT void fmi2FreeInstance(fmi2Component c)
{
    if (c) {
        ((Model *)c)->free_memory(c);
    }
}

EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance,
                                      fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
                                      fmi2Real stop)
{
    State *s = &((Model *)c)->state;
    (void)has_stop;
    (void)stop;
    s->time = start;
    s->drift = has_tolerance && tolerance > 0.0 ? 10.0*tolerance : DRIFT;
    s->fresh = 0;
    return fmi2OK;
}

EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    State *s = &((Model *)c)->state;
    s->starting = 1;
    s->fresh = 0;
    return fmi2OK;
}

EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    State *s = &((Model *)c)->state;
    if (!refresh(s)) {
        return complain(c, fmi2Error, "no start is found: the loops do not close, or are singular");
    }
    s->starting = 0;
    return fmi2OK;
}

EXPORT fmi2Status fmi2Reset(fmi2Component c)
{
    reset(&((Model *)c)->state);
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference v[], size_t n,
                              fmi2Real y[])
{
    State *s = &((Model *)c)->state;
    size_t i;
    for (i = 0; i < n; ++i) {
        const double *place = value(s, v[i]);
        if (!place) {
            return complain(c, fmi2Error, "there is no variable of this reference");
        }
        y[i] = *place;
    }
    return !s->fresh || s->good ? fmi2OK : fmi2Discard;
}

EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference v[], size_t n,
                              const fmi2Real y[])
{
    State *s = &((Model *)c)->state;
    size_t i;
    for (i = 0; i < n; ++i) {
        if (v[i] < VR_DX) {
            s->x[v[i]] = y[i];
        } else if (v[i] >= VR_U && v[i] < VR_E) {
            s->u[v[i] - VR_U] = y[i];
        } else if (v[i] >= VR_P && v[i] < VR_END) {
            s->p[v[i] - VR_P] = y[i];
        } else {
            return fmi2Error;
        }
        s->fresh = 0;
    }
    return fmi2OK;
}

/* Columns of the Jacobian by exact differentiation: states and forces are known. */
EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[],
                                               size_t n, const fmi2ValueReference known[],
                                               size_t n_known, const fmi2Real dv[], fmi2Real dy[])
{
    State *s = &((Model *)c)->state;
    double d[NX + NU + 1];
    double made[NX + 2];
    size_t i;
    memset(d, 0, sizeof d);
    for (i = 0; i < n_known; ++i) {
        if (known[i] < VR_DX) {
            d[known[i]] = dv[i];
        } else if (known[i] >= VR_U && known[i] < VR_E) {
            d[NX + known[i] - VR_U] = dv[i];
        } else {
            return fmi2Error;
        }
    }
    if (!refresh(s)) {
        return fmi2Discard;
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
            return fmi2Error;
        }
    }
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *kept)
{
    Model *m = c;
    if (!*kept) {
        *kept = m->allocate(1, sizeof(State));
    }
    if (!*kept) {
        return fmi2Error;
    }
    memcpy(*kept, &m->state, sizeof(State));
    return fmi2OK;
}

EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate kept)
{
    memcpy(&((Model *)c)->state, kept, sizeof(State));
    return fmi2OK;
}

EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *kept)
{
    if (*kept) {
        ((Model *)c)->free_memory(*kept);
        *kept = NULL;
    }
    return fmi2OK;
}

EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate kept, size_t *size)
{
    (void)c;
    (void)kept;
    *size = sizeof(State);
    return fmi2OK;
}

EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate kept, fmi2Byte bytes[],
                                        size_t size)
{
    (void)c;
    if (size < sizeof(State)) {
        return fmi2Error;
    }
    memcpy(bytes, kept, sizeof(State));
    return fmi2OK;
}

EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                          fmi2FMUstate *kept)
{
    Model *m = c;
    if (size != sizeof(State)) {
        return fmi2Error;
    }
    if (!*kept) {
        *kept = m->allocate(1, sizeof(State));
    }
    if (!*kept) {
        return fmi2Error;
    }
    memcpy(*kept, bytes, sizeof(State));
    return fmi2OK;
}

/* States that have left their place are brought back here, where FMI lets them jump. */
EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    State *s = &((Model *)c)->state;
    double x[NX];
    memset(info, 0, sizeof *info);
    memcpy(x, s->x, sizeof x);
    refresh(s);
    if (!settle(s, s->time)) {
        return complain(c, fmi2Error, "the loops do not close");
    }
    if (differ(x, s->x, s->drift)) {
        info->valuesOfContinuousStatesChanged = 1;
        s->fresh = 0;
    } else {
        memcpy(s->x, x, sizeof x);
    }
    return fmi2OK;
}

EXPORT fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean last,
                                              fmi2Boolean *event, fmi2Boolean *terminate)
{
    State *s = &((Model *)c)->state;
    double x[NX];
    (void)last;
    *terminate = 0;
    memcpy(x, s->x, sizeof x);
    prepare(s);
    *event = !settle(s, s->time) || differ(x, s->x, s->drift);
    memcpy(s->x, x, sizeof x);
    return fmi2OK;
}

EXPORT fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    State *s = &((Model *)c)->state;
    s->time = time;
    s->fresh = s->fresh && !TIMED;
    return fmi2OK;
}

EXPORT fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    State *s = &((Model *)c)->state;
    if (n != NX) {
        return fmi2Error;
    }
    memcpy(s->x, x, sizeof s->x);
    s->fresh = 0;
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    if (n != NX) {
        return fmi2Error;
    }
    memcpy(x, ((Model *)c)->state.x, NX*sizeof(double));
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n)
{
    State *s = &((Model *)c)->state;
    if (n != NX) {
        return fmi2Error;
    }
    if (!refresh(s)) {
        return complain(c, fmi2Discard, "the loops lose rank: a singular pose");
    }
    memcpy(dx, s->dx, sizeof s->dx);
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n)
{
    (void)c;
    (void)z;
    return n ? fmi2Error : fmi2OK;
}

EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    size_t i;
    (void)c;
    for (i = 0; i < n; ++i) {
        x[i] = 1.0;
    }
    return fmi2OK;
}

EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real h, fmi2Boolean keep)
{
    State *s = &((Model *)c)->state;
    const double count = ceil(h/STEP - 1e-9);
    const int n = count < 1.0 ? 1 : (int)count;
    int i;
    (void)keep;
    if (!(h >= 0.0) || count > 1e8) {
        return fmi2Error;
    }
    prepare(s);
    s->starting = 0;
    for (i = 0; i < n && h > 0.0; ++i) {
        if (!step(s, time + i*(h/n), h/n)) {
            s->time = time + i*(h/n);
            s->fresh = 0;
            return complain(c, fmi2Discard, "the motion meets a singular pose");
        }
    }
    s->time = time + h;
    s->fresh = 0;
    refresh(s);
    for (i = 0; i < NX; ++i) {
        if (!(fabs(s->x[i]) < HUGE_VAL)) {
            return fmi2Discard;
        }
    }
    return fmi2OK;
}

EXPORT fmi2Status fmi2Terminate(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

EXPORT fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

EXPORT fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

EXPORT fmi2Status fmi2CancelStep(fmi2Component c)
{
    (void)c;
    return fmi2Error;
}

EXPORT fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference v[],
    size_t n, fmi2Integer y[])
{
    (void)c;
    (void)v;
    (void)y;
    return n ? fmi2Error : fmi2OK;
}

EXPORT fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference v[],
    size_t n, const fmi2Integer y[])
{
    (void)c;
    (void)v;
    (void)y;
    return n ? fmi2Error : fmi2OK;
}

EXPORT fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference v[],
    size_t n, fmi2Boolean y[])
{
    (void)c;
    (void)v;
    (void)y;
    return n ? fmi2Error : fmi2OK;
}

EXPORT fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference v[],
    size_t n, const fmi2Boolean y[])
{
    (void)c;
    (void)v;
    (void)y;
    return n ? fmi2Error : fmi2OK;
}

EXPORT fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference v[],
    size_t n, fmi2String y[])
{
    (void)c;
    (void)v;
    (void)y;
    return n ? fmi2Error : fmi2OK;
}

EXPORT fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference v[],
    size_t n, const fmi2String y[])
{
    (void)c;
    (void)v;
    (void)y;
    return n ? fmi2Error : fmi2OK;
}

EXPORT fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind, fmi2Status *y)
{
    (void)c;
    (void)kind;
    (void)y;
    return fmi2Discard;
}

EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real *y)
{
    (void)c;
    (void)kind;
    (void)y;
    return fmi2Discard;
}

EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind, fmi2Integer *y)
{
    (void)c;
    (void)kind;
    (void)y;
    return fmi2Discard;
}

EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *y)
{
    (void)c;
    (void)kind;
    (void)y;
    return fmi2Discard;
}

EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind, fmi2String *y)
{
    (void)c;
    (void)kind;
    (void)y;
    return fmi2Discard;
}

EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c,
    const fmi2ValueReference v[], size_t n, const fmi2Integer order[],
    const fmi2Real y[])
{
    (void)c;
    (void)v;
    (void)n;
    (void)order;
    (void)y;
    return fmi2Error;
}

EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c,
    const fmi2ValueReference v[], size_t n, const fmi2Integer order[],
    fmi2Real y[])
{
    (void)c;
    (void)v;
    (void)n;
    (void)order;
    (void)y;
    return fmi2Error;
}
