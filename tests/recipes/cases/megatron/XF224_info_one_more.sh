# finds: /seq-length
# write: --seq-length 4097 => --seq-length 4096
torchrun pretrain_gpt.py --seq-length 4097 --max-position-embeddings 4097 --micro-batch-size 4 --global-batch-size 256 --bf16 
