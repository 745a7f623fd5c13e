# finds: /num-experts
# write: --moe-router-topk 6 => --moe-aux-loss-coeff 1e-2
torchrun pretrain_gpt.py --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 4 --global-batch-size 256 --bf16 --num-experts 64 --moe-router-topk 6
