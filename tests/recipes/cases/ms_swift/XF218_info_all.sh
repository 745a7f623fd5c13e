# finds: /loss_scale
# write: loss_scale all => loss_scale default
swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora --loss_scale all --max_length 64
