# finds: /packing
# write: --packing true => --packing false
swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora --max_length 8192 --packing true --attn_impl flash_attn
