/* FMI 3.0: its types. */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define FMI(name) fmi3##name
#define TIME_IS_A_VARIABLE 1
#define ALLOCATE(m, size) ((void)(m), calloc(1, size))
#define FREE(m, memory) ((void)(m), free(memory))

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
