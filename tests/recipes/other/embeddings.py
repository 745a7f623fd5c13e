from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer
model = SentenceTransformer("all-MiniLM-L6-v2")
model.max_seq_length = 256
