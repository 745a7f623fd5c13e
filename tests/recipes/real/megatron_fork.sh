# warns:
GPT_ARGS="
    --spec mindspeed_llm.tasks.models.spec.deepseek_spec layer_spec \
    --transformer-impl transformer_engine --reset-attention-mask --reset-position-ids --attention-mask-type general --use-flash-attn \
    --tensor-model-parallel-size 1 --pipeline-model-parallel-size 8 --num-layers 61 --seq-length 16384 --max-position-embeddings 163840 \
    --micro-batch-size 1 --global-batch-size 16 --bf16
"
torchrun $DISTRIBUTED_ARGS pretrain_gpt.py $GPT_ARGS
