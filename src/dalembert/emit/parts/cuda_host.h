/* Memory that the kernels reach: of the device where there is one, else of the host. */
#ifdef __CUDACC__
static int model_has_device(void)
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}
#else
static int model_has_device(void)
{
    return 0;
}
#endif

static void *model_lent(const void *data, size_t bytes, int given)
{
#ifdef __CUDACC__
    if (model_has_device()) {
        void *made = NULL;
        if (cudaMalloc(&made, bytes) != cudaSuccess) {
            exit(2);
        }
        if (given) {
            cudaMemcpy(made, data, bytes, cudaMemcpyHostToDevice);
        }
        return made;
    }
#endif
    (void)bytes;
    (void)given;
    return const_cast<void *>(data);
}

static void model_returned(void *lent, void *data, size_t bytes, int given)
{
#ifdef __CUDACC__
    if (lent != data) {
        if (!given) {
            cudaMemcpy(data, lent, bytes, cudaMemcpyDeviceToHost);
        }
        cudaFree(lent);
        return;
    }
#endif
    (void)lent;
    (void)data;
    (void)bytes;
    (void)given;
}
