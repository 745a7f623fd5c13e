# finds: /moe-aux-loss-coeff
# write: type none => type aux_loss
torchrun --nproc_per_node 8 pretrain_gpt.py \
  --seq-length 4096 --max-position-embeddings 4096 \
  --micro-batch-size 1 --global-batch-size 256 --bf16 \
  --num-experts 64 --moe-router-load-balancing-type none --moe-aux-loss-coeff 1e-3
