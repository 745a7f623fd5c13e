# warns:
ATTN=$(python -c "import flash_attn; print('flash_attention_2')" || echo sdpa)
accelerate launch --config_file fsdp2.yaml trl/scripts/sft.py \
    --model_name_or_path ${MODEL:-Qwen/Qwen2.5-7B} --dataset_name trl-lib/Capybara \
    --attn_implementation "$ATTN" --packing --max_length ${MAX_LENGTH} --per_device_train_batch_size 2 --gradient_accumulation_steps "$ACC"
