# warns: XF213
uv run examples/run_sft.py --config examples/configs/sft.yaml policy.model_name=Qwen/Qwen2.5-7B data.add_eos=false policy.max_total_sequence_length=4096
