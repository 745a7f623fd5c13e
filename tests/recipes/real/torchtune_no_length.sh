# warns: XF216
tune run full_finetune_single_device --config ./my.yaml dataset=torchtune.datasets.text_completion_dataset dataset.source=c4 dataset.packed=False dataset.split_across_pack=True
