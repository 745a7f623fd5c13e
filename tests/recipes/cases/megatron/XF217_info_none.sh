# finds: 
# write: --num-layers 4 => --seq-length 4096
torchrun pretrain_gpt.py --micro-batch-size 4 --global-batch-size 256 --num-layers 4
