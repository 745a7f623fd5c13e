# warns:
from dataclasses import dataclass, asdict
from trl import SFTConfig, SFTTrainer


@dataclass
class Settings:
    model: str = "Qwen/Qwen2.5-7B"
    max_length: int = 4096
    packing: bool = True


settings = Settings()
cfg = dict(output_dir="out", max_length=settings.max_length, packing=settings.packing)
trainer = SFTTrainer(model=settings.model, args=SFTConfig(**cfg), train_dataset=data)
