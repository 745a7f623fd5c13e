# warns: XF205
import argparse

import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="mistralai/Mistral-7B-v0.3")
parser.add_argument("--max-length", type=int, default=2048)
args = parser.parse_args()

bnb = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)
model = AutoModelForCausalLM.from_pretrained(args.model, quantization_config=bnb, device_map="auto")
tokenizer = AutoTokenizer.from_pretrained(args.model)
if tokenizer.pad_token is None:
    tokenizer.pad_token = tokenizer.eos_token
config = SFTConfig(
    output_dir="out",
    max_length=args.max_length,
    packing=True,
    per_device_train_batch_size=4,
    gradient_accumulation_steps=4,
    bf16=True,
)
trainer = SFTTrainer(model=model, args=config, train_dataset=load_dataset("a/b", split="train"), peft_config=LoraConfig(r=16), processing_class=tokenizer)
trainer.train()
