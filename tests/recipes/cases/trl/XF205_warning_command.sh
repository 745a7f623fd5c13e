# finds: /packing
# write: --packing => --packing --attn_implementation flash_attention_2
trl sft --model_name_or_path Qwen/Qwen2.5-7B --dataset_name d --max_length 4096 --packing
