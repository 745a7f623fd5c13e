# finds: /attention-backend
# write: --attention-backend flash => --transformer-impl local
torchrun pretrain_gpt.py --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 4 --global-batch-size 256 --bf16 --reset-position-ids --reset-attention-mask --attention-backend flash
