/* The first device of the first platform, and a program built for it. */
#define MODEL_MOST 32 /* arguments of a kernel */

typedef struct {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
} model_device;

static void model_need(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, (int)code);
        exit(2);
    }
}

static char *model_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size;
    char *text;
    if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    rewind(file);
    text = malloc((size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) {
        exit(2);
    }
    text[size] = 0;
    fclose(file);
    return text;
}

static model_device model_open(const char *path, const char *options)
{
    model_device d;
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    char name[256];
    char *text = model_text(path);
    const char *source = text;
    model_need(clGetPlatformIDs(1, &platform, NULL), "no platform");
    model_need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    printf("device: %s\n", name);
    d.context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    model_need(code, "context");
    d.queue = clCreateCommandQueue(d.context, device, 0, &code);
    model_need(code, "queue");
    d.program = clCreateProgramWithSource(d.context, 1, &source, NULL, &code);
    model_need(code, "program");
    code = clBuildProgram(d.program, 1, &device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(d.program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fputs(log, stderr);
        model_need(code, "build");
    }
    free(text);
    return d;
}

/* Run a kernel over `states` states: `given` arrays are read, the others written. */
static void model_run(model_device d, const char *name, size_t states, int given, int all,
                     void **data, const size_t *bytes)
{
    cl_mem memory[MODEL_MOST];
    cl_int code;
    cl_ulong count = states;
    cl_kernel kernel = clCreateKernel(d.program, name, &code);
    int k;
    model_need(code, name);
    model_need(clSetKernelArg(kernel, 0, sizeof count, &count), name);
    for (k = 0; k < all; ++k) {
        const cl_mem_flags flags = k < given ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR
                                            : CL_MEM_WRITE_ONLY;
        memory[k] = clCreateBuffer(d.context, flags, bytes[k], k < given ? data[k] : NULL, &code);
        model_need(code, name);
        model_need(clSetKernelArg(kernel, (cl_uint)(k + 1), sizeof(cl_mem), &memory[k]), name);
    }
    model_need(clEnqueueNDRangeKernel(d.queue, kernel, 1, NULL, &states, NULL, 0, NULL, NULL), name);
    for (k = given; k < all; ++k) {
        model_need(clEnqueueReadBuffer(d.queue, memory[k], CL_TRUE, 0, bytes[k], data[k], 0, NULL,
                                      NULL), name);
    }
    for (k = 0; k < all; ++k) {
        clReleaseMemObject(memory[k]);
    }
    clReleaseKernel(kernel);
}
