/* [about] */

#ifndef MODEL_H
#define MODEL_H

/* [real.h] */

/* [counts] */

#ifdef __cplusplus
extern "C" {
#endif

/* [names] */

/* [parameters] */
/* [layout] */

/* [declarations] */

#ifdef __cplusplus
}
#endif

#endif /* MODEL_H */
