"""The C of an FMU that every model shares: the types of FMI 2.0, and functions without use here."""

TYPES = """\
/* @title@: FMI 2.0 for model exchange and co-simulation. */

#include "@id@.h"

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

#define NQ @nq@
#define NV @nv@
#define NF @nf@
#define NU @nu@
#define NS @ns@
#define NP @np@
#define NR @nr@
#define NX (NQ + NV)
#define GUID "@guid@"
#define STEP @step@
#define TIMED @timed@
#define CLOSED 1e-10  /* a gap below this part of the model's size is none */
#define SINGULAR 1e-10
#define DRIFT 1e-6  /* model exchange asks for an event where states leave their place by more */

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
    int good;     /* the model had an answer when they were made */
} State;

typedef struct {
    State state;
    void (*free_memory)(void *);
    void *(*allocate)(size_t, size_t);
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    fmi2ComponentEnvironment environment;
    fmi2Type type;
} Model;

static const double start_x[NX] = {@start_x@};
static const double start_p[NP + 1] = {@start_p@};
"""

# functions that have nothing to do here: name, arguments after the component, what they return
SIMPLE = (
    ("Terminate", "", "fmi2OK"),
    ("EnterEventMode", "", "fmi2OK"),
    ("EnterContinuousTimeMode", "", "fmi2OK"),
    ("CancelStep", "", "fmi2Error"),
)
VALUES = ("Integer", "Boolean", "String")
STATUS = ("Status", "RealStatus", "IntegerStatus", "BooleanStatus", "StringStatus")


def rest() -> str:
    """Return the functions of FMI 2.0 that this model has no use for."""
    text = ""
    for name, _, answer in SIMPLE:
        head = f"EXPORT fmi2Status fmi2{name}(fmi2Component c)"
        text += f"\n{head}\n{{\n    (void)c;\n    return {answer};\n}}\n"
    for kind in VALUES:
        for verb, const in (("Get", ""), ("Set", "const ")):
            head = (
                f"EXPORT fmi2Status fmi2{verb}{kind}(fmi2Component c, const fmi2ValueReference v[],"
            )
            text += (
                f"\n{head}\n    size_t n, {const}fmi2{kind} y[])\n{{\n    (void)c;\n    (void)v;\n"
                "    (void)y;\n    return n ? fmi2Error : fmi2OK;\n}\n"
            )
    for kind in STATUS:
        made = {"Status": "fmi2Status"}.get(kind, "fmi2" + kind.removesuffix("Status"))
        head = f"EXPORT fmi2Status fmi2Get{kind}(fmi2Component c, fmi2StatusKind kind, {made} *y)"
        text += (
            f"\n{head}\n{{\n    (void)c;\n    (void)kind;\n    (void)y;\n"
            "    return fmi2Discard;\n}\n"
        )
    for verb, const in (("SetRealInput", "const "), ("GetRealOutput", "")):
        head = f"EXPORT fmi2Status fmi2{verb}Derivatives(fmi2Component c,"
        text += (
            f"\n{head}\n    const fmi2ValueReference v[], size_t n, const fmi2Integer order[],\n"
            f"    {const}fmi2Real y[])\n{{\n    (void)c;\n    (void)v;\n    (void)n;\n"
            "    (void)order;\n    (void)y;\n    return fmi2Error;\n}\n"
        )
    return text
