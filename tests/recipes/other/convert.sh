python tools/checkpoint/convert.py --model-type GPT --loader llama_mistral --saver core --tensor-model-parallel-size 2 --tokenizer-type Llama2Tokenizer
