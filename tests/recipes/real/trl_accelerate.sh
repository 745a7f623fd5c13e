# warns: XF216
#!/usr/bin/env bash
accelerate launch --config_file recipes/accelerate_configs/zero3.yaml --num_processes 8 \
  trl/scripts/sft.py \
  --model_name_or_path meta-llama/Llama-3.2-1B \
  --dataset_name HuggingFaceH4/ultrachat_200k --dataset_train_split train_sft \
  --learning_rate 2.0e-5 \
  --max_seq_length 2048 \
  --per_device_train_batch_size 8 \
  --gradient_accumulation_steps 4 \
  --output_dir data/out
