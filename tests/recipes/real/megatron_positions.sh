# warns: XF205
python pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 \
  --micro-batch-size 4 --global-batch-size 16 --position-embedding-type learned_absolute --reset-position-ids --eod-mask-loss --fp16
