# finds: /DataCollatorForCompletionOnlyLM/0
# write: DataCollatorForCompletionOnlyLM("### A:", tokenizer=tok) => default_data_collator
from trl import SFTTrainer, DataCollatorForCompletionOnlyLM
collator = DataCollatorForCompletionOnlyLM("### A:", tokenizer=tok)
trainer = SFTTrainer(model="gpt2", data_collator=collator)
