"""The C of an FMU between the functions of a model and those of FMI: states, steps, settling.

@id@ stands for the prefix of the model. Parts that only some models have are chosen by `motion`.
"""

HEAD = """\
static void prepare(State *s)
{
@prepare@}

/* The rate of a state; how far the model is from singular: one is best. */
static double rates(const State *s, double time, const double *x, double *dx)
{
    double measure[1] = {1.0};
@signals@    (void)time;
    @id@_rates(x, x + NQ, s->u, @w@s->r, dx, dx + NQ@measure@);
    return measure[0];
}

static void energies(const State *s, double time, const double *x, double *e)
{
@signals@    (void)time;
    @id@_energies(x, x + NQ, @w@s->r, e, e + 1);
}
"""

FREE = """
/* Any state will do. */
static int settle(State *s, double time)
{
    (void)s;
    (void)time;
    return 1;
}
"""

SETTLED = """
/* The nearest state that joints and loops allow; whether it was found. */
static int settle(State *s, double time)
{
    double y[NX];
    double gap[1];
    int i;
@signals@    (void)time;
    for (i = 0; i < 50; ++i) {
        @id@_project(s->x, s->x + NQ, @w@s->r, y, y + NQ, gap);
        memcpy(s->x, y, sizeof s->x);
        if (gap[0] < CLOSED) {
            return 1;
        }
    }
    return 0;
}
"""

OPEN = """
static int assemble(State *s)
{
    return settle(s, s->time);
}
"""

ASSEMBLED = """
/* Loops closed from where they are, independent coordinates kept; whether that was possible. */
static int assemble(State *s)
{
    double y[NX];
    double gap[1];
    int i;
    for (i = 0; i < 50; ++i) {
        @id@_assemble(s->x, s->x + NQ, s->r, y, y + NQ, gap);
        memcpy(s->x, y, sizeof s->x);
        if (gap[0] < CLOSED) {
            return 1;
        }
    }
    return 0;
}
"""

STEP = """
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

/* All that follows from states, inputs and parameters; whether the model has an answer there. */
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

/* One step of Runge and Kutta's method of fourth order; whether the model had an answer. */
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
@signals@@d_signals@@assembled@    @id@_rates_along(s->x, s->x + NQ, s->u, @w@d, d + NQ, d + NX, \
@dw@s->r, made, made + NQ);
    @id@_energies_along(s->x, s->x + NQ, @w@d, d + NQ, @dw@s->r, made + NX, made + NX + 1);
}
"""

ALONG = """\
    if (s->starting) {
        double moved[NX];
        @id@_assemble_along(s->x, s->x + NQ, d, d + NQ, s->r, moved, moved + NQ);
        memcpy(d, moved, sizeof moved);
    }
"""


def motion(settled: bool, closed: bool, signals: int, timed: bool) -> str:
    """Return the text for a kind of model: with states to settle, loops, steering, time."""
    words = {"@w@": "", "@dw@": "", "@signals@": "", "@d_signals@": "", "@assembled@": ""}
    words["@measure@"] = ", measure" if closed else ""
    if closed:
        words["@assembled@"] = ALONG
    if signals:
        words |= {"@w@": "w, ", "@dw@": "dw, "}
        words["@signals@"] = "    const double *w = s->u + NF;\n"
        words["@d_signals@"] = "    const double *dw = d + NX + NF;\n"
    text = HEAD + (SETTLED if settled else FREE) + (ASSEMBLED if closed else OPEN) + STEP
    if timed:
        words["@signals@"] = (
            "    double w[NS];\n"
            "    memcpy(w, s->u + NF, (NS - 2)*sizeof(double));\n"
            "    w[NS - 2] = @now@;\n    w[NS - 1] = 1.0;\n"
        )
        words["@d_signals@"] = (
            "    double dw[NS];\n"
            "    memset(dw, 0, sizeof dw);\n"
            "    memcpy(dw, d + NX + NF, (NS - 2)*sizeof(double));\n"
        )
    head, tail = text.split("/* The derivatives of rates", 1)
    for word, value in words.items():
        head = head.replace(word, value.replace("@now@", "time"))
        tail = tail.replace(word, value.replace("@now@", "s->time"))
    return head + "/* The derivatives of rates" + tail
