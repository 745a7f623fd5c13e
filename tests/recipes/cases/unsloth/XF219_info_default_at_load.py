model, tok = FastLanguageModel.from_pretrained(model_name="a/b")
trainer = SFTTrainer(args=SFTConfig(max_length=2048))
