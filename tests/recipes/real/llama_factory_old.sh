# warns:
CUDA_VISIBLE_DEVICES=0 python src/train_bash.py \
    --stage dpo --do_train --model_name_or_path ../models/llama-7b --dataset comparison_gpt4_en --template default \
    --finetuning_type lora --lora_target q_proj,v_proj --output_dir ../out --per_device_train_batch_size 2 --dpo_beta 0.1 --fp16
