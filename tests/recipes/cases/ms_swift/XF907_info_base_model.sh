# finds: /model
swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset d.jsonl --tuner_type lora 
