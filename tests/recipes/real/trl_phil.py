# warns: XF205 XF216
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
from trl import SFTTrainer

max_seq_length = 3072  # max sequence length for model and packing of the dataset
model = AutoModelForCausalLM.from_pretrained("codellama/CodeLlama-7b-hf", attn_implementation="sdpa")
args = TrainingArguments(output_dir="code-llama", per_device_train_batch_size=3, gradient_accumulation_steps=2)
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=dataset,
    max_seq_length=max_seq_length,
    tokenizer=tokenizer,
    packing=True,
    dataset_kwargs={
        "add_special_tokens": False,  # We template with special tokens
        "append_concat_token": False,  # No need to add additional separator token
    },
)
