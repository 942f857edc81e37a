#ifdef MODEL_FLOAT
typedef float model_real;
#define MODEL_K(x) x##f
#define MODEL_FAR(x, y) y##f /* below single precision: zero; beyond: its largest */
#else
typedef double model_real;
#define MODEL_K(x) x
#define MODEL_FAR(x, y) x
#endif
