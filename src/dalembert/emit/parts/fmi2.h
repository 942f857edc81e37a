/* FMI 2.0: its types, and the names that are spelt otherwise than in FMI 3.0. */

#define FMI(name) fmi2##name
#define TIME_IS_A_VARIABLE 0
#define ALLOCATE(m, size) (m)->allocate(1, size)
#define FREE(m, memory) (m)->free_memory(memory)

#define fmi2FMUState fmi2FMUstate
#define fmi2GetFMUState fmi2GetFMUstate
#define fmi2SetFMUState fmi2SetFMUstate
#define fmi2FreeFMUState fmi2FreeFMUstate
#define fmi2SerializedFMUStateSize fmi2SerializedFMUstateSize
#define fmi2SerializeFMUState fmi2SerializeFMUstate
#define fmi2DeserializeFMUState fmi2DeSerializeFMUstate
#define fmi2GetContinuousStateDerivatives fmi2GetDerivatives

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
