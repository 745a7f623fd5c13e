# finds: /max_length
# write: --tuner_type lora => --truncation_strategy split
swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora --max_length 8192
