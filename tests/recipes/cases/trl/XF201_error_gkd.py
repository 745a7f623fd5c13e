# finds: /GKDConfig/pad_token
# write: pad_token="<|im_end|>" => pad_token="<|fim_pad|>"
from trl import GKDConfig
args = GKDConfig(max_length=64, pad_token="<|im_end|>", eos_token="<|im_end|>")
