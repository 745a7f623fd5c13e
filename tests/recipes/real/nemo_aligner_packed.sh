# warns: XF215
MBS=2
torchrun --nproc_per_node=8 train_gpt_sft.py --config-path=conf --config-name=gpt_sft \
  ++model.data.train_ds.packed_sequence=True model.data.train_ds.micro_batch_size=$MBS \
  "model.data.train_ds.file_path=/data/packed_4096_seed0.npy" model.data.train_ds.max_seq_length=4096 model.encoder_seq_length=4096
