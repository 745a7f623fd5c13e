# warns: XF215
NPROC_PER_NODE=4 CUDA_VISIBLE_DEVICES=0,1,2,3 \
swift pt --model Qwen/Qwen2.5-7B --dataset swift/chinese-c4 --streaming true --packing true --max_length 8192 \
  --max_steps 10000 --tuner_type full --deepspeed zero3
