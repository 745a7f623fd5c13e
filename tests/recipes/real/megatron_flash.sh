# warns: XF205
torchrun pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 4096 --max-position-embeddings 4096 \
  --micro-batch-size 2 --global-batch-size 256 --reset-attention-mask --reset-position-ids --eod-mask-loss --use-flash-attn --bf16
