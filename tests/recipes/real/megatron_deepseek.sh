# warns:
ARGS="--seq-length ${SEQ_LEN:-4096} --max-position-embeddings 163840 --num-layers 61 --num-experts 256 --moe-router-topk 8 \
 --moe-router-load-balancing-type seq_aux_loss --moe-aux-loss-coeff 1e-4 --moe-router-enable-expert-bias --moe-router-bias-update-rate 1e-3 \
 --multi-latent-attention --micro-batch-size 1 --global-batch-size 8192 --bf16"
