# finds: /padding_side
# write:  --padding_side left =>
swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora --max_length 64 --packing true --attn_impl flash_attn --padding_side left
