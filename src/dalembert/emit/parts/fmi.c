/* FMI for Model Exchange and Co-Simulation: what its versions have in common.

   FMI(name) is a name of the version; what differs in its arguments calls the functions here. */

EXPORT FMI(Status) FMI(SetDebugLogging)(void *c, FMI(Boolean) on, size_t n,
    const FMI(String) kinds[])
{
    (void)c;
    (void)on;
    (void)n;
    (void)kinds;
    return FMI(OK);
}

EXPORT void FMI(FreeInstance)(void *c)
{
    if (c) {
        FREE((Model *)c, c);
    }
}

/* The experiment as it is told: where it starts, and how far states may leave their place. */
static void begin(State *s, double start, int has_tolerance, double tolerance)
{
    s->time = start;
    s->drift = has_tolerance && tolerance > 0.0 ? 10.0*tolerance : DRIFT;
    s->fresh = 0;
}

EXPORT FMI(Status) FMI(ExitInitializationMode)(void *c)
{
    State *s = &((Model *)c)->state;
    if (!refresh(s)) {
        return complain(c, FMI(Error),
            "no start is found: the loops do not close, or are singular");
    }
    s->starting = 0;
    return FMI(OK);
}

EXPORT FMI(Status) FMI(Reset)(void *c)
{
    reset(&((Model *)c)->state);
    return FMI(OK);
}

static FMI(Status) get(Model *m, const FMI(ValueReference) v[], size_t n, double y[])
{
    State *s = &m->state;
    size_t i;
    for (i = 0; i < n; ++i) {
        const double *place = TIME_IS_A_VARIABLE && v[i] == VR_END ? &s->time : value(s, v[i]);
        if (!place) {
            return complain(m, FMI(Error), "there is no variable of this reference");
        }
        y[i] = *place;
    }
    return !s->fresh || s->good ? FMI(OK) : FMI(Discard);
}

static FMI(Status) set(Model *m, const FMI(ValueReference) v[], size_t n, const double y[])
{
    State *s = &m->state;
    size_t i;
    for (i = 0; i < n; ++i) {
        if (v[i] < VR_DX) {
            s->x[v[i]] = y[i];
        } else if (v[i] >= VR_U && v[i] < VR_E) {
            s->u[v[i] - VR_U] = y[i];
        } else if (v[i] >= VR_P && v[i] < VR_END) {
            s->p[v[i] - VR_P] = y[i];
        } else {
            return FMI(Error);
        }
        s->fresh = 0;
    }
    return FMI(OK);
}

/* Columns of the Jacobian by exact differentiation: states and forces are known. */
static FMI(Status) along(Model *m, const FMI(ValueReference) unknown[], size_t n,
    const FMI(ValueReference) known[], size_t n_known, const double dv[], double dy[])
{
    State *s = &m->state;
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
            return FMI(Error);
        }
    }
    if (!refresh(s)) {
        return FMI(Discard);
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
            return FMI(Error);
        }
    }
    return FMI(OK);
}

/* Memory for a state, where there is none yet; whether it is there. */
static int room(Model *m, void **kept)
{
    (void)m;
    if (!*kept) {
        *kept = ALLOCATE(m, sizeof(State));
    }
    return *kept != NULL;
}

EXPORT FMI(Status) FMI(GetFMUState)(void *c, FMI(FMUState) *kept)
{
    if (!room(c, kept)) {
        return FMI(Error);
    }
    memcpy(*kept, &((Model *)c)->state, sizeof(State));
    return FMI(OK);
}

EXPORT FMI(Status) FMI(SetFMUState)(void *c, FMI(FMUState) kept)
{
    memcpy(&((Model *)c)->state, kept, sizeof(State));
    return FMI(OK);
}

EXPORT FMI(Status) FMI(FreeFMUState)(void *c, FMI(FMUState) *kept)
{
    if (*kept) {
        FREE((Model *)c, *kept);
        *kept = NULL;
    }
    return FMI(OK);
}

EXPORT FMI(Status) FMI(SerializedFMUStateSize)(void *c, FMI(FMUState) kept, size_t *size)
{
    (void)c;
    (void)kept;
    *size = sizeof(State);
    return FMI(OK);
}

EXPORT FMI(Status) FMI(SerializeFMUState)(void *c, FMI(FMUState) kept, FMI(Byte) bytes[],
    size_t size)
{
    (void)c;
    if (size < sizeof(State)) {
        return FMI(Error);
    }
    memcpy(bytes, kept, sizeof(State));
    return FMI(OK);
}

EXPORT FMI(Status) FMI(DeserializeFMUState)(void *c, const FMI(Byte) bytes[], size_t size,
    FMI(FMUState) *kept)
{
    if (size != sizeof(State) || !room(c, kept)) {
        return FMI(Error);
    }
    memcpy(*kept, bytes, sizeof(State));
    return FMI(OK);
}

/* States that have left their place are brought back here, where FMI lets them jump. */
static FMI(Status) jump(Model *m, FMI(Boolean) *changed)
{
    State *s = &m->state;
    double x[NX];
    memcpy(x, s->x, sizeof x);
    refresh(s);
    if (!settle(s, s->time)) {
        return complain(m, FMI(Error), "the loops do not close");
    }
    *changed = differ(x, s->x, s->drift);
    if (*changed) {
        s->fresh = 0;
    } else {
        memcpy(s->x, x, sizeof x);
    }
    return FMI(OK);
}

EXPORT FMI(Status) FMI(CompletedIntegratorStep)(void *c, FMI(Boolean) last,
    FMI(Boolean) *event, FMI(Boolean) *terminate)
{
    State *s = &((Model *)c)->state;
    double x[NX];
    (void)last;
    *terminate = 0;
    memcpy(x, s->x, sizeof x);
    prepare(s);
    *event = !settle(s, s->time) || differ(x, s->x, s->drift);
    memcpy(s->x, x, sizeof x);
    return FMI(OK);
}

EXPORT FMI(Status) FMI(SetTime)(void *c, double time)
{
    State *s = &((Model *)c)->state;
    s->time = time;
    s->fresh = s->fresh && !TIMED;
    return FMI(OK);
}

EXPORT FMI(Status) FMI(SetContinuousStates)(void *c, const double x[], size_t n)
{
    State *s = &((Model *)c)->state;
    if (n != NX) {
        return FMI(Error);
    }
    memcpy(s->x, x, sizeof s->x);
    s->fresh = 0;
    return FMI(OK);
}

EXPORT FMI(Status) FMI(GetContinuousStates)(void *c, double x[], size_t n)
{
    if (n != NX) {
        return FMI(Error);
    }
    memcpy(x, ((Model *)c)->state.x, NX*sizeof(double));
    return FMI(OK);
}

EXPORT FMI(Status) FMI(GetContinuousStateDerivatives)(void *c, double dx[], size_t n)
{
    State *s = &((Model *)c)->state;
    if (n != NX) {
        return FMI(Error);
    }
    if (!refresh(s)) {
        return complain(c, FMI(Discard), "the loops lose rank: a singular pose");
    }
    memcpy(dx, s->dx, sizeof s->dx);
    return FMI(OK);
}

EXPORT FMI(Status) FMI(GetEventIndicators)(void *c, double z[], size_t n)
{
    (void)c;
    (void)z;
    return n ? FMI(Error) : FMI(OK);
}

EXPORT FMI(Status) FMI(GetNominalsOfContinuousStates)(void *c, double x[], size_t n)
{
    size_t i;
    (void)c;
    for (i = 0; i < n; ++i) {
        x[i] = 1.0;
    }
    return FMI(OK);
}

/* The motion from `time` on during h; s->time is the time that was reached. */
static FMI(Status) advance(Model *m, double time, double h)
{
    State *s = &m->state;
    const double count = ceil(h/STEP - 1e-9);
    const int n = count < 1.0 ? 1 : (int)count;
    int i;
    if (!(h >= 0.0) || count > 1e8) {
        return FMI(Error);
    }
    prepare(s);
    s->starting = 0;
    for (i = 0; i < n && h > 0.0; ++i) {
        if (!step(s, time + i*(h/n), h/n)) {
            s->time = time + i*(h/n);
            s->fresh = 0;
            return complain(m, FMI(Discard), "the motion meets a singular pose");
        }
    }
    s->time = time + h;
    s->fresh = 0;
    refresh(s);
    for (i = 0; i < NX; ++i) {
        if (!(fabs(s->x[i]) < HUGE_VAL)) {
            return FMI(Discard);
        }
    }
    return FMI(OK);
}

/* Changes of mode ask for nothing here. */
#define MODE(name) EXPORT FMI(Status) FMI(name)(void *c) { (void)c; return FMI(OK); }
MODE(EnterEventMode)
MODE(EnterContinuousTimeMode)
MODE(Terminate)
