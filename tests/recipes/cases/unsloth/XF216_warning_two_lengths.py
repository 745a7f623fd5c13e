# finds: /SFTConfig/max_length
# write: 8192 => 4096
from unsloth import FastLanguageModel
model, tok = FastLanguageModel.from_pretrained("unsloth/Qwen2.5-7B", max_seq_length=8192)
trainer = SFTTrainer(model=model, tokenizer=tok, train_dataset=ds, args=SFTConfig(max_length=4096))
trainer = train_on_responses_only(trainer, instruction_part="<|im_start|>user\n", response_part="<|im_start|>assistant\n")
