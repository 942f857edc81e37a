MODEL_DEVICE model_real model_max(model_real x, model_real y)
{
    return x > y || x != x ? x : y;
}
