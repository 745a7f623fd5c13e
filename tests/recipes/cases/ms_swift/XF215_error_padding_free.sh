# finds: /padding_free
# write: --padding_free true => --padding_free true --attn_impl flash_attn
swift sft \
  --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora \
  --max_length 8192 --padding_free true
