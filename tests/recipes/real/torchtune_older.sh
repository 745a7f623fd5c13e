# warns:
tune run full_finetune_single_device \
    --config llama3/8B_full_single_device \
    batch_size=4 gradient_accumulation_steps=1 dataset.max_seq_len=2048 dataset.packed=True \
    enable_activation_checkpointing=True device=xpu optimizer._component_=torch.optim.AdamW checkpointer.output_dir=/workspace
