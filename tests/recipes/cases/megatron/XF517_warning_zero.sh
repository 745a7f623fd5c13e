# finds: /moe-aux-loss-coeff
# write: coeff 0.0 => coeff 0.01
torchrun pretrain_gpt.py --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 4 --global-batch-size 256 --bf16 --num-experts 64 --moe-router-load-balancing-type seq_aux_loss --moe-aux-loss-coeff 0.0
