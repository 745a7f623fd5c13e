# finds: /truncation_strategy
# write: strategy right => strategy split
swift sft \
  --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora \
  --max_length 8192 --truncation_strategy right
