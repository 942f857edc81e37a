        model_run(device, "model_entry_batch", /*[states]*/, /*[given]*/, /*[every]*/, data, bytes);
