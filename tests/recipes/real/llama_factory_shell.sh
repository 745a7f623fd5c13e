# warns: XF205
#!/bin/bash
set -euo pipefail
MODEL=${1:-Qwen/Qwen2.5-7B}
OUT="saves/${MODEL##*/}"
NPROC_PER_NODE=8

FORCE_TORCHRUN=1 llamafactory-cli train \
    --stage sft \
    --do_train True \
    --model_name_or_path "$MODEL" \
    --dataset alpaca_en_demo \
    --template qwen \
    --finetuning_type full \
    --cutoff_len 4096 \
    --flash_attn auto \
    --packing True \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 8 \
    --output_dir "$OUT" \
    --deepspeed examples/deepspeed/ds_z3_config.json
