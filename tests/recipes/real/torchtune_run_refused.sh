# warns: XF215
tune run full_finetune_single_device --config llama3_2/1B_full_single_device \
  optimizer_in_bwd=True gradient_accumulation_steps=16 dataset=torchtune.datasets.alpaca_dataset dataset.packed=True
