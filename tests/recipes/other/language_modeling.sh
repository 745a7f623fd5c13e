torchrun --nproc_per_node 8 run_clm.py --model_name_or_path openai-community/gpt2 --dataset_name wikitext --dataset_config_name wikitext-2-raw-v1 \
  --block_size 1024 --per_device_train_batch_size 8 --gradient_accumulation_steps 2 --do_train --bf16
