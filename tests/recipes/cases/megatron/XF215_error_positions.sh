# finds: /max-position-embeddings
# write: 2048 => 4096
torchrun pretrain_gpt.py --seq-length 4096 --max-position-embeddings 2048 --micro-batch-size 4 --global-batch-size 256 --bf16 
