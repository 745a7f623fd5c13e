for n in 1 2 4; do python bench.py --num-layers $n --hidden-size 64 --batch-size 4 --seq-len 128; done
