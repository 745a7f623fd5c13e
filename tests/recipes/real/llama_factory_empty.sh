# warns: XF213
llamafactory-cli train --stage sft --do_train --model_name_or_path Qwen/Qwen2.5-7B --dataset my --template empty --finetuning_type full --cutoff_len 4096
