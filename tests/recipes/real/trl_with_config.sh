# warns:
accelerate launch --config_file zero3.yaml sft.py --config recipes/OpenR1/sft.yaml --dataset_name ours --num_train_epochs 3 \
  --model_name_or_path "$MODEL" --packing false
