MODEL_DEVICE void model_entry_of(model_count k/*[every]*/)
{
    /* [local] */
    int i;
    /* [get] */
    model_entry(/*[words]*/);
    /* [put] */
}

#if defined(__OPENCL_VERSION__)
__kernel void model_entry_batch(model_count n/*[every]*/)
{
    const model_count k = get_global_id(0);
    if (k < n) model_entry_of(k/*[names]*/);
}
#elif defined(__CUDACC__)
__global__ void model_entry_batch(model_count n/*[every]*/)
{
    const model_count k = (model_count)blockIdx.x*blockDim.x + threadIdx.x;
    if (k < n) model_entry_of(k/*[names]*/);
}
#endif
