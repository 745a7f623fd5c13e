# warns:
OPTIONS="\
  --seq-length 4096 --max-position-embeddings 32768 --num-layers 32 --hidden-size 4096 \
  --num-experts 8 --moe-router-topk 2 --moe-router-load-balancing-type aux_loss --moe-aux-loss-coeff 1e-2 \
  --moe-grouped-gemm --moe-token-dispatcher-type alltoall --overlap-param-gather \
  --micro-batch-size 1 --global-batch-size 256 --bf16 --tokenizer-type Llama2Tokenizer"
torchrun $DIST pretrain_gpt.py $OPTIONS
