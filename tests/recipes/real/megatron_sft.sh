# warns:
ARGS=(--sft --tokenizer-type SFTTokenizer --sft-tokenizer-prompt-format nemotron-h-aligned --tokenizer-model /m
  --seq-length 131072 --max-position-embeddings 131072 --micro-batch-size 1 --global-batch-size 64 --calculate-per-token-loss
  --hybrid-override-pattern M-M-M-M*-M-M-M-M*- --attention-backend flash --bf16)
torchrun pretrain_mamba.py "${ARGS[@]}"
