# warns: XF222
LEN=8192
uv run examples/run_sft.py policy.model_name=Qwen/Qwen2.5-7B policy.max_total_sequence_length=$LEN \
  policy.sequence_packing.enabled=true policy.sequence_packing.train_mb_tokens=4096
