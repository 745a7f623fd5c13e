# finds: /reset-position-ids
# write: --reset-position-ids  =>
torchrun --nproc_per_node 8 pretrain_gpt.py \
  --seq-length 4096 --max-position-embeddings 4096 \
  --micro-batch-size 1 --global-batch-size 256 --bf16 \
  --position-embedding-type rope --reset-position-ids --reset-attention-mask
