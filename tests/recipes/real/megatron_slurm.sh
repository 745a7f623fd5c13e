# warns:
#!/bin/bash
#SBATCH --job-name=gpt
#SBATCH --nodes=16
#SBATCH --ntasks-per-node=8
SEQ_LENGTH=${SEQ_LENGTH:-4096}
MBS=${1:-1}
GBS=$((MBS * 512))
TP=2; PP=4
export WANDB_MODE=offline
options="--tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP \
  --seq-length ${SEQ_LENGTH} --max-position-embeddings ${SEQ_LENGTH} --micro-batch-size ${MBS} --global-batch-size ${GBS} \
  --num-layers 40 --hidden-size 5120 --num-attention-heads 40 --use-flash-attn --bf16 --tokenizer-type Llama2Tokenizer --tokenizer-model $TOK"
srun --output=%x.out bash -c "python -u pretrain_gpt.py ${options}"
