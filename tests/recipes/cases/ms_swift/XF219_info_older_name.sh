# finds: /train_type
# write: --train_type => --tuner_type
swift sft \
  --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --train_type lora \
  --max_length 8192
