# warns:
trl sft --model_name_or_path Qwen/Qwen2.5-7B --dataset_name d --max_length 4096 --packing \
  --model_init_kwargs '{"attn_implementation": "flash_attention_2", "dtype": "bfloat16"}'
