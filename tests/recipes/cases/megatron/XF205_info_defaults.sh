# finds: /seq-length
# write: --bf16 => --reset-attention-mask --transformer-impl local
torchrun pretrain_gpt.py --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 4 --global-batch-size 256 --bf16 
