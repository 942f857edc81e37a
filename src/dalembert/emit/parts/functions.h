#ifdef MODEL_FLOAT
#define MODEL_F(name) name##f
#else
#define MODEL_F(name) name
#endif
