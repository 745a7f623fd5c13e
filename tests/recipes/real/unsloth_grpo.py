# warns:
from unsloth import FastLanguageModel
from trl import GRPOConfig, GRPOTrainer

max_seq_length = 1024
model, tokenizer = FastLanguageModel.from_pretrained(model_name="unsloth/Qwen2.5-3B-Instruct", max_seq_length=max_seq_length, load_in_4bit=True, fast_inference=True)
training_args = GRPOConfig(learning_rate=5e-6, per_device_train_batch_size=1, num_generations=6, max_prompt_length=256, max_completion_length=768)
trainer = GRPOTrainer(model=model, processing_class=tokenizer, reward_funcs=[f], args=training_args, train_dataset=dataset)
trainer.train()
