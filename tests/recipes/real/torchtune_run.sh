# warns:
tune run --nproc_per_node 4 full_finetune_distributed --config llama3_1/8B_full \
  tokenizer.max_seq_len=8192 dataset.packed=True batch_size=1 gradient_accumulation_steps=4 \
  checkpointer.checkpoint_dir=/data/llama
