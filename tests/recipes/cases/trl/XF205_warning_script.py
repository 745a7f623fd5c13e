# finds: /SFTConfig/packing
# write: attn_implementation="sdpa" => attn_implementation="flash_attention_2"
from trl import SFTConfig, SFTTrainer
args = SFTConfig(max_length=4096, packing=True, per_device_train_batch_size=2)
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", attn_implementation="sdpa")
trainer = SFTTrainer(model=model, args=args, train_dataset=ds)
