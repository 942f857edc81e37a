/* the_model: see model.h. */

#include "model.h"

#include <float.h>
#include <math.h>

/* [tables] */
/* [functions.h] */

/* [helpers] */
/* [defaults] */
/* [functions] */
