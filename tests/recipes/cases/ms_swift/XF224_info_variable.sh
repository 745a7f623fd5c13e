# finds: /max_length
# write: LEN=4097 => LEN=4096
LEN=4097
swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora --max_length ${LEN}
