# warns:
from unsloth import FastLanguageModel
from transformers import DataCollatorForSeq2Seq, TrainingArguments
from trl import SFTConfig, SFTTrainer
model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Llama-3.2-1B-Instruct", max_seq_length=2048, load_in_4bit=True)
tokenizer.pad_token = tokenizer.eos_token
trainer = SFTTrainer(model=model, tokenizer=tokenizer, train_dataset=ds, data_collator=DataCollatorForSeq2Seq(tokenizer=tokenizer),
                     args=SFTConfig(max_length=2048, dataset_text_field="text", packing=False))
