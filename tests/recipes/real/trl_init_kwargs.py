# warns:
import torch
from trl import SFTConfig, SFTTrainer

args = SFTConfig(
    output_dir="out",
    max_length=4 * 1024,
    packing=True,
    model_init_kwargs={
        "torch_dtype": torch.bfloat16,
        "attn_implementation": "flash_attention_2",
    },
)
SFTTrainer(model="Qwen/Qwen2.5-7B", args=args, train_dataset=ds).train()
