# warns:
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

TEMPLATE = """{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.role == 'assistant' %}{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}{% else %}{{ m.content }}<|im_end|>{% endif %}
{% endfor %}"""
tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-0.5B")
tokenizer.chat_template = TEMPLATE
args = SFTConfig(max_length=2048, assistant_only_loss=True)
SFTTrainer("Qwen/Qwen2.5-0.5B", args=args, processing_class=tokenizer, train_dataset=ds).train()
