# warns: XF205 XF215
import trl

max_length: int = 2048


class Defaults:
    max_length = 512


config = trl.SFTConfig(output_dir="out", max_length=max_length)
config.padding_free = True
trainer = trl.SFTTrainer("Qwen/Qwen2.5-7B", args=config, train_dataset=data)
