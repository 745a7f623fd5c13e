# finds: /packing_length
# write: --packing_length 4096 => --packing_length 8192
swift sft \
  --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora \
  --max_length 8192 --packing true --attn_impl flash_attn --packing_length 4096
