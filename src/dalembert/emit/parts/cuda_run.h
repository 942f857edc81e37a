        void *lent[/*[every]*/];
        model_count k;
        for (k = 0; k < /*[every]*/; ++k) lent[k] = model_lent(data[k], bytes[k], k < /*[given]*/);
        if (model_has_device()) {
#ifdef __CUDACC__
            model_entry_batch<<<(/*[states]*/ + 127)/128, 128>>>(/*[states]*//*[words]*/);
            if (cudaDeviceSynchronize() != cudaSuccess) return 2;
#endif
        } else {
            for (k = 0; k < /*[states]*/; ++k) model_entry_of(k/*[words]*/);
        }
        for (k = 0; k < /*[every]*/; ++k) model_returned(lent[k], data[k], bytes[k], k < /*[given]*/);
