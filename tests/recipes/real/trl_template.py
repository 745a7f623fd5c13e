# warns: XF207
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-0.5B")
tokenizer.chat_template = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
args = SFTConfig(max_length=2048, assistant_only_loss=True)
SFTTrainer("Qwen/Qwen2.5-0.5B", args=args, processing_class=tokenizer, train_dataset=ds).train()
