# finds: /lazy_tokenize
# write: --lazy_tokenize true => --lazy_tokenize false
swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora --max_length 8192 --packing true --attn_impl flash_attn --lazy_tokenize true
