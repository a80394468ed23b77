"""Experiments on many draws at once: what happens to softmax as d_k grows, and in training."""
