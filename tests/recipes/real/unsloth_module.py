# warns: XF215
import unsloth
model, tokenizer = unsloth.FastLanguageModel.from_pretrained("unsloth/Qwen3-8B", max_seq_length=4096, load_in_4bit=True, load_in_8bit=True)
