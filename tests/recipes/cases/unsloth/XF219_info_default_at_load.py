# finds: /FastLanguageModel.from_pretrained
# write: model_name="a/b" => model_name="a/b", max_seq_length=2048
model, tok = FastLanguageModel.from_pretrained(model_name="a/b")
trainer = SFTTrainer(args=SFTConfig(max_length=2048))
