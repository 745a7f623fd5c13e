# warns: XF201
from transformers import AutoTokenizer, DataCollatorForLanguageModeling, Trainer, TrainingArguments
from trl import SFTTrainer, SFTConfig

tok = AutoTokenizer.from_pretrained("gpt2")
tok.pad_token = tok.eos_token
trainer = SFTTrainer("gpt2", args=SFTConfig(max_length=512), train_dataset=ds, data_collator=DataCollatorForLanguageModeling(tok, mlm=False))
