torchrun --nproc_per_node=4 --master_port=20001 fastchat/train/train_mem.py --model_name_or_path meta-llama/Llama-2-7b-hf \
    --data_path data/dummy_conversation.json --bf16 True --model_max_length 2048 --gradient_checkpointing True --lazy_preprocess True
