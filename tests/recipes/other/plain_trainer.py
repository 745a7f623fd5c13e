from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

args = TrainingArguments("out", per_device_train_batch_size=4, gradient_accumulation_steps=2)
Trainer(model=AutoModelForCausalLM.from_pretrained("gpt2"), args=args, train_dataset=ds).train()
