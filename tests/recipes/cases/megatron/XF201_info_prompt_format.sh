# finds: /sft-tokenizer-prompt-format
# write: format default => format identity
torchrun --nproc_per_node 8 pretrain_gpt.py \
  --seq-length 4096 --max-position-embeddings 4096 \
  --micro-batch-size 1 --global-batch-size 256 --bf16 \
  --sft --tokenizer-type SFTTokenizer --sft-tokenizer-prompt-format default --calculate-per-token-loss
