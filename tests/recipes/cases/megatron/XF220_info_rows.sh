# finds: /global-batch-size
# write: --sft  => --reset-attention-mask 
torchrun --nproc_per_node 8 pretrain_gpt.py \
  --seq-length 4096 --max-position-embeddings 4096 \
  --micro-batch-size 1 --global-batch-size 256 --bf16 \
  --sft --tokenizer-type SFTTokenizer --sft-tokenizer-prompt-format identity --calculate-per-token-loss
