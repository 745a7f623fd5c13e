# warns:
from unsloth import FastModel
from unsloth.chat_templates import get_chat_template, train_on_responses_only
from trl import SFTConfig, SFTTrainer

model, tokenizer = FastModel.from_pretrained(model_name="unsloth/gemma-3-4b-it", max_seq_length=2048, load_in_4bit=True, load_in_8bit=False, full_finetuning=False)
tokenizer = get_chat_template(tokenizer, chat_template="gemma-3")
trainer = SFTTrainer(model=model, tokenizer=tokenizer, train_dataset=dataset, args=SFTConfig(dataset_text_field="text", max_seq_length=2048, per_device_train_batch_size=2, gradient_accumulation_steps=4, report_to="none"))
trainer = train_on_responses_only(trainer, instruction_part="<start_of_turn>user\n", response_part="<start_of_turn>model\n")
