/* One text for OpenCL, CUDA and, without either, the host. */
#if defined(__OPENCL_VERSION__)
#ifndef MODEL_FLOAT
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define MODEL_DEVICE
#define MODEL_GLOBAL __global
#define MODEL_RESTRICT restrict
#define MODEL_F(name) name /* every precision has the same names */
typedef ulong model_count;
#else
#include <math.h>
#include <stddef.h>
#ifdef __CUDACC__
#define MODEL_DEVICE static __host__ __device__
#else
#define MODEL_DEVICE static
#endif
#define MODEL_GLOBAL
#define MODEL_RESTRICT __restrict__
#ifdef MODEL_FLOAT
#define MODEL_F(name) name##f
#else
#define MODEL_F(name) name
#endif
typedef size_t model_count;
#endif
