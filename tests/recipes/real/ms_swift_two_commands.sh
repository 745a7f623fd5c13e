# warns:
nproc_per_node=4
attn=flash_attn
if [ "$HARDWARE" == "ascend" ]; then
    attn=sdpa
fi

NPROC_PER_NODE=$nproc_per_node \
swift sft --model "$MODEL" --tuner_type full --dataset "$DATA" --torch_dtype bfloat16 \
    --gradient_accumulation_steps $(expr 64 / $nproc_per_node) \
    --packing true --attn_impl $attn --max_length 16384 --deepspeed zero3 --output_dir out

swift infer --adapters out/checkpoint-100 --max_length 2048 --attn_impl sdpa --stream true
