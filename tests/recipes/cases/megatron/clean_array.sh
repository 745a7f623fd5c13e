#!/bin/bash
SEQ=4096
ARGS=(
  --seq-length $SEQ
  --max-position-embeddings ${SEQ}
  --micro-batch-size 1 # --reset-position-ids
)
torchrun pretrain_gpt.py ${ARGS[@]}
