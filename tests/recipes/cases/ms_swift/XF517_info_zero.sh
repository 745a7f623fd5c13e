# finds: /router_aux_loss_coef
# write: coef 0 => coef 0.001
swift sft \
  --model Qwen/Qwen3-30B-A3B --dataset d.jsonl --tuner_type lora \
  --max_length 8192 --router_aux_loss_coef 0
