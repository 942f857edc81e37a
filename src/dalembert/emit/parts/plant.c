/* A state model behind FMI: what does not depend on the version of the interface. */

#include "model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

#define NX (NQ + NV)
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
        s->good &= rates(s, s->time, s->x, s->dx) > FADED;
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
    good = rates(s, time, s->x, k1) > FADED;
    for (i = 0; i < NX; ++i) {
        y[i] = s->x[i] + 0.5*h*k1[i];
    }
    good &= rates(s, time + 0.5*h, y, k2) > FADED;
    for (i = 0; i < NX; ++i) {
        y[i] = s->x[i] + 0.5*h*k2[i];
    }
    good &= rates(s, time + 0.5*h, y, k3) > FADED;
    for (i = 0; i < NX; ++i) {
        y[i] = s->x[i] + h*k3[i];
    }
    good &= rates(s, time + h, y, k4) > FADED;
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

static const double *value(State *s, unsigned int v)
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
