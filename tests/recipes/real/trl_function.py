# warns:
from trl import SFTConfig, SFTTrainer

attn = "sdpa"


def train(model, attn="flash_attention_2", packing=True, max_length=8192):
    config = SFTConfig(packing=packing, max_length=max_length, model_init_kwargs=dict(attn_implementation=attn))
    SFTTrainer(model, args=config).train()
