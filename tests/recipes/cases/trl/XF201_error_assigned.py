# finds: /tokenizer/pad_token
# write: tokenizer.eos_token => "<unk>"
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("mistralai/Mistral-7B-v0.1")
tokenizer.pad_token = tokenizer.eos_token
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1"),
    args=SFTConfig(output_dir="out", max_length=2048),
    data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    train_dataset=load_dataset("json", data_files="d.jsonl")["train"],
)
