# finds: /packing
# write: --packing true => --neat_packing true --flash_attn fa2
llamafactory-cli train --stage sft --model_name_or_path Qwen/Qwen2.5-7B --template qwen --cutoff_len 4096 --packing true
