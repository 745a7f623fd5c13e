# warns:
set -x
MODEL_PATH=Qwen/Qwen2.5-7B-Instruct
llamafactory-cli train \
    --model_name_or_path ${MODEL_PATH} --stage sft --do_train --finetuning_type lora --dataset alpaca_gpt4_en --template qwen \
    --cutoff_len 2048 --neat_packing --flash_attn fa2 --output_dir saves/q --bf16
llamafactory-cli export --model_name_or_path ${MODEL_PATH} --adapter_name_or_path saves/q --template empty --export_dir merged
