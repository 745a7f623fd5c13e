llamafactory-cli chat --model_name_or_path Qwen/Qwen2.5-7B-Instruct --template qwen --finetuning_type lora
