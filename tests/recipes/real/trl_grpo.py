# warns:
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

training_args = GRPOConfig(output_dir="Qwen2-0.5B-GRPO", max_prompt_length=512, max_completion_length=256, num_generations=8)
trainer = GRPOTrainer(model="Qwen/Qwen2-0.5B-Instruct", reward_funcs=len, args=training_args, train_dataset=load_dataset("a/b", split="train"))
trainer.train()
