accelerate launch --mixed_precision bf16 --num_processes 8 --use_deepspeed --deepspeed_config_file stage3.conf \
    open_instruct/finetune.py --model_name_or_path allenai/OLMo-2-1124-7B --tokenizer_name allenai/OLMo-2-1124-7B --use_flash_attn \
    --max_seq_length 4096 --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --dataset_mixer_list allenai/tulu-3-sft 1.0 --reduce_loss sum
