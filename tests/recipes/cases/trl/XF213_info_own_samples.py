# finds: /SFTConfig/dataset_kwargs/skip_prepare_dataset
# write: True => False
from trl import SFTConfig, SFTTrainer
args = SFTConfig(max_length=2048, dataset_kwargs={"skip_prepare_dataset": True})
trainer = SFTTrainer(model="a/b", args=args, train_dataset=ds)
