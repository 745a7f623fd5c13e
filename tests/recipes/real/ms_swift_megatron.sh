# warns:
PYTORCH_CUDA_ALLOC_CONF='expandable_segments:True' NPROC_PER_NODE=8 megatron sft \
    --load Qwen3-30B-A3B-Base-mcore \
    --dataset 'liucong/Chinese-DeepSeek-R1-Distill-data-110k-SFT' \
    --expert_model_parallel_size 8 --moe_grouped_gemm true --moe_aux_loss_coeff 1e-2 \
    --micro_batch_size 1 --global_batch_size 16 --packing true --max_length 8192 --recompute_granularity full
