# warns:
uv run examples/run_sft.py --config examples/configs/sft.yaml \
  policy.model_name="meta-llama/Meta-Llama-3-8B" \
  policy.train_global_batch_size=128 \
  sft.val_global_batch_size=128 \
  logger.wandb_enabled=True \
  cluster.gpus_per_node=8 cluster.num_nodes=2
