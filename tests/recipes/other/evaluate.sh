lm_eval --model hf --model_args pretrained=Qwen/Qwen2.5-7B,dtype=bfloat16 --tasks mmlu --batch_size 8 --output_path out
