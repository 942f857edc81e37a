static void model_entry_once(int k, const model_real *r)
{
    /* [room] */
    /* [unused] */
    /* [call] */
    /* [sink] */
}

