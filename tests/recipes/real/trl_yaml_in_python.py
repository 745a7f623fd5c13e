# warns:
import yaml
from trl import SFTConfig, SFTTrainer

with open("config.yaml") as f:
    cfg = yaml.safe_load(f)
trainer = SFTTrainer(model=cfg["model"], args=SFTConfig(**cfg["training"]), train_dataset=load(cfg["data"]))
