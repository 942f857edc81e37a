/* [about] */

/* [device.h] */

/* [real.h] */

#define MODEL_LIBM_SINCOS

/* [helpers] */
/* [parameters] */
/* [functions] */
