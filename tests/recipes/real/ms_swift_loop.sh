# warns:
for LEN in 2048 8192; do
  swift sft --model Qwen/Qwen3-8B --dataset d.jsonl --tuner_type lora --max_length $LEN --packing true --attn_impl ${ATTN:-flash_attn} --output_dir out_$LEN
done
