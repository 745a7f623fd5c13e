"""Rules of group 6: vocabulary, special tokens, tokenizer."""
