MODEL_DEVICE model_real model_sign(model_real x)
{
    return x > MODEL_K(0.0) ? MODEL_K(1.0) : (x < MODEL_K(0.0) ? -MODEL_K(1.0) : x);
}
