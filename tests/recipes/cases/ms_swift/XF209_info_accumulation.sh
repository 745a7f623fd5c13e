# finds: /gradient_accumulation_steps
# write: steps 16 => steps 1
swift sft \
  --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora \
  --max_length 8192 --gradient_accumulation_steps 16
