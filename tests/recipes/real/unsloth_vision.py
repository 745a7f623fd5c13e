# warns:
from unsloth import FastVisionModel
from unsloth.trainer import UnslothVisionDataCollator
from trl import SFTTrainer, SFTConfig

model, tokenizer = FastVisionModel.from_pretrained("unsloth/Llama-3.2-11B-Vision-Instruct", load_in_4bit=True, use_gradient_checkpointing="unsloth")
trainer = SFTTrainer(
    model=model, tokenizer=tokenizer, data_collator=UnslothVisionDataCollator(model, tokenizer), train_dataset=converted,
    args=SFTConfig(per_device_train_batch_size=2, gradient_accumulation_steps=4, remove_unused_columns=False, dataset_text_field="",
                   dataset_kwargs={"skip_prepare_dataset": True}, max_length=2048),
)
