# warns: XF215
SEQ_LENGTH=4096
torchrun --nproc_per_node=8 scripts/training/finetune.py --recipe llama32_1b_finetune_config \
    checkpoint.pretrained_checkpoint=/ckpt/llama \
    train.micro_batch_size=4 train.global_batch_size=128 \
    model.seq_length=${SEQ_LENGTH} dataset.seq_length=${SEQ_LENGTH} \
    dataset.offline_packing_specs.packed_sequence_size=${SEQ_LENGTH} \
    optimizer.lr=5e-6
