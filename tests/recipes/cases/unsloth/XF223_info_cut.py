# finds: /SFTConfig/max_length
# write:         max_length=4096 =>         max_length=None
from unsloth import FastLanguageModel
from trl import SFTConfig, SFTTrainer
model, tokenizer = FastLanguageModel.from_pretrained(model_name="unsloth/Qwen3-8B", max_seq_length=4096, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=16, lora_alpha=16)
trainer = SFTTrainer(
    model=model,
    tokenizer=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        max_length=4096,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=4,
    ),
)
trainer.train()
