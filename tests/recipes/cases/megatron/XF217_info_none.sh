torchrun pretrain_gpt.py --micro-batch-size 4 --global-batch-size 256 --num-layers 4
