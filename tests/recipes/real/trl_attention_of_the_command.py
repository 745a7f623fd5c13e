# warns:
import argparse
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

p = argparse.ArgumentParser()
p.add_argument("--attn", default="flash_attention_2")
p.add_argument("--packing", action="store_true")
a = p.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", attn_implementation=a.attn)
args = SFTConfig(output_dir="o", packing=True, max_length=4096)
SFTTrainer(model=model, args=args, train_dataset=ds).train()
