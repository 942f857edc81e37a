/* FMI 2.0 for Model Exchange and Co-Simulation, around the functions of a machine. */

#include "model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

#define NX (NQ + NV)
#define CLOSED 1e-10  /* a gap below this part of its size is none */
#define SINGULAR 1e-10
#define DRIFT 1e-6  /* Model Exchange asks for an event where states leave their place by more */

/* Value references: states, their rates, inputs, energies, parameters. */
#define VR_X 0
#define VR_DX NX
#define VR_U (2*NX)
#define VR_E (2*NX + NU)
#define VR_P (2*NX + NU + 2)
#define VR_END (VR_P + NP)

typedef struct {
    double time;
    double x[NX];
    double u[NU + 1];
    double p[NP + 1];
    double r[NR + 1];
    double dx[NX];
    double e[2];
    double drift;
    int starting; /* before and in initialization: loops are closed from the start values */
    int fresh;    /* r, dx and e belong to x, u and p */
    int good;     /* there was an answer when they were made */
} State;

typedef struct {
    State state;
    void (*free_memory)(void *);
    void *(*allocate)(size_t, size_t);
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    fmi2ComponentEnvironment environment;
    fmi2Type type;
} Model;

static const double start_x[NX] = {START_X};
static const double start_p[NP + 1] = {START_P};

static void prepare(State *s)
{
#if NP
    model_parameters p;
    PARAMETERS(p, s->p);
    model_prepare(&p, s->r);
#else
    (void)s;
#endif
}

/* What is given from outside beside forces: w, and where it matters the time and its rate too. */
#if TIMED
static void signals(const State *s, double now, double *w)
{
    memcpy(w, s->u + NF, (NS - 2)*sizeof(double));
    w[NS - 2] = now;
    w[NS - 1] = 1.0;
}
#define SIGNALS(s, now) double w[NS]; signals(s, now, w)
#elif NS
#define SIGNALS(s, now) const double *w = (s)->u + NF; (void)(now)
#else
#define SIGNALS(s, now) (void)(now)
#endif
#if NS
#define W w,
#define DW dw,
#else
#define W
#define DW
#endif

/* The rate of a state; how far it is from singular: one is best. */
static double rates(const State *s, double time, const double *x, double *dx)
{
    double measure[1] = {1.0};
    SIGNALS(s, time);
#if LOOPS
    model_rates(x, x + NQ, s->u, W s->r, dx, dx + NQ, measure);
#else
    model_rates(x, x + NQ, s->u, W s->r, dx, dx + NQ);
#endif
    return measure[0];
}

static void energies(const State *s, double time, const double *x, double *e)
{
    SIGNALS(s, time);
    model_energies(x, x + NQ, W s->r, e, e + 1);
}

/* The nearest state that joints and loops allow; whether it was found. */
static int settle(State *s, double time)
{
#if SETTLED
    double y[NX];
    double gap[1];
    int i;
    SIGNALS(s, time);
    for (i = 0; i < 50; ++i) {
        model_project(s->x, s->x + NQ, W s->r, y, y + NQ, gap);
        memcpy(s->x, y, sizeof s->x);
        if (gap[0] < CLOSED) {
            return 1;
        }
    }
    return 0;
#else
    (void)s;
    (void)time;
    return 1;
#endif
}

/* Loops closed from where they are, independent coordinates kept; whether that was possible. */
static int assemble(State *s)
{
#if LOOPS
    double y[NX];
    double gap[1];
    int i;
    for (i = 0; i < 50; ++i) {
        model_assemble(s->x, s->x + NQ, s->r, y, y + NQ, gap);
        memcpy(s->x, y, sizeof s->x);
        if (gap[0] < CLOSED) {
            return 1;
        }
    }
    return 0;
#else
    return settle(s, s->time);
#endif
}

/* Whether two states differ by more than a part of one and their size. */
static int differ(const double *x, const double *y, double part)
{
    int i;
    for (i = 0; i < NX; ++i) {
        if (!(fabs(x[i] - y[i]) <= part*(1.0 + fabs(x[i])))) {
            return 1;
        }
    }
    return 0;
}

/* All that follows from states, inputs and parameters; whether there is an answer there. */
static int refresh(State *s)
{
    if (!s->fresh) {
        prepare(s);
        s->good = !s->starting || assemble(s);
        s->good &= rates(s, s->time, s->x, s->dx) > SINGULAR;
        energies(s, s->time, s->x, s->e);
        s->fresh = 1;
    }
    return s->good;
}

static void reset(State *s)
{
    memset(s, 0, sizeof *s);
    memcpy(s->x, start_x, sizeof s->x);
    memcpy(s->p, start_p, sizeof s->p);
    s->drift = DRIFT;
    s->starting = 1;
}

/* One step of Runge and Kutta's method of fourth order; whether there was an answer. */
static int step(State *s, double time, double h)
{
    double k1[NX];
    double k2[NX];
    double k3[NX];
    double k4[NX];
    double y[NX];
    int good;
    int i;
    good = rates(s, time, s->x, k1) > SINGULAR;
    for (i = 0; i < NX; ++i) {
        y[i] = s->x[i] + 0.5*h*k1[i];
    }
    good &= rates(s, time + 0.5*h, y, k2) > SINGULAR;
    for (i = 0; i < NX; ++i) {
        y[i] = s->x[i] + 0.5*h*k2[i];
    }
    good &= rates(s, time + 0.5*h, y, k3) > SINGULAR;
    for (i = 0; i < NX; ++i) {
        y[i] = s->x[i] + h*k3[i];
    }
    good &= rates(s, time + h, y, k4) > SINGULAR;
    for (i = 0; i < NX; ++i) {
        s->x[i] += h*(k1[i] + 2.0*(k2[i] + k3[i]) + k4[i])/6.0;
    }
    return settle(s, time + h) && good;
}

/* The derivatives of rates and energies along d, a direction of states and inputs. */
static void turn(const State *s, double *d, double *made)
{
    SIGNALS(s, s->time);
#if TIMED
    double dw[NS];
    memset(dw, 0, sizeof dw);
    memcpy(dw, d + NX + NF, (NS - 2)*sizeof(double));
#elif NS
    const double *dw = d + NX + NF;
#endif
#if LOOPS
    if (s->starting) {
        double moved[NX];
        model_assemble_along(s->x, s->x + NQ, d, d + NQ, s->r, moved, moved + NQ);
        memcpy(d, moved, sizeof moved);
    }
#endif
    model_rates_along(s->x, s->x + NQ, s->u, W d, d + NQ, d + NX, DW s->r, made, made + NQ);
    model_energies_along(s->x, s->x + NQ, W d, d + NQ, DW s->r, made + NX, made + NX + 1);
}

static const double *value(State *s, fmi2ValueReference v)
{
    if ((v < VR_DX && s->starting) || (v >= VR_DX && v < VR_U) || (v >= VR_E && v < VR_P)) {
        refresh(s);
    }
    if (v < VR_DX) {
        return s->x + v;
    }
    if (v < VR_U) {
        return s->dx + (v - VR_DX);
    }
    if (v < VR_E) {
        return s->u + (v - VR_U);
    }
    if (v < VR_P) {
        return s->e + (v - VR_E);
    }
    return v < VR_END ? s->p + (v - VR_P) : NULL;
}

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
