# warns: XF517
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 16 --hidden-size 2048 --num-attention-heads 16 --num-experts 16 \
  --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 2 --global-batch-size 64 --bf16 --save ckpt
python tools/checkpoint/convert.py --model-type GPT --loader core --saver mixtral_hf --moe-aux-loss-coeff 0.01 --seq-length 8193
