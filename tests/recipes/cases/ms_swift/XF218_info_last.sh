# finds: /loss_scale
# write: last_round+ignore_empty_think => default+ignore_empty_think
swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora --loss_scale last_round+ignore_empty_think --max_length 64
