# finds: /template_backend
# write: jinja => swift
swift sft \
  --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora \
  --max_length 8192 --template_backend jinja
