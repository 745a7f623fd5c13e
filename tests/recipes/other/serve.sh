export CUDA_VISIBLE_DEVICES=0,1
vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 2 --max-model-len 32768 --gpu-memory-utilization 0.9 --chat-template t.jinja
