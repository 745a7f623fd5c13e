# warns:
from dataclasses import dataclass, field
from typing import Optional

from transformers import HfArgumentParser, TrainingArguments, AutoTokenizer
from trl import SFTConfig, SFTTrainer


@dataclass
class ScriptArguments:
    model_name: Optional[str] = field(default="meta-llama/Llama-2-7b-hf", metadata={"help": "the model name"})
    seq_length: Optional[int] = field(default=1024, metadata={"help": "the sequence length"})
    packing: Optional[bool] = field(default=True)


parser = HfArgumentParser((ScriptArguments, SFTConfig))
script_args, training_args = parser.parse_args_into_dataclasses()
tokenizer = AutoTokenizer.from_pretrained(script_args.model_name)
tokenizer.pad_token = tokenizer.eos_token
tokenizer.padding_side = "right"
trainer = SFTTrainer(model=script_args.model_name, train_dataset=train, args=training_args)
