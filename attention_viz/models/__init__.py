"""Hugging Face models: any layer and head, with the steps that the model really takes."""

from attention_viz.models.load import load_model
from attention_viz.models.model import HeadFacts, Layer, Model, ModelRun, Recording, WeightsRun
from attention_viz.models.pieces import typed_specials
from attention_viz.models.places import HUB, LOCAL, PACKAGED, SOURCES, packaged
from attention_viz.models.words import read_divisor, read_facts, read_residual

__all__ = [
    "HUB",
    "LOCAL",
    "PACKAGED",
    "SOURCES",
    "HeadFacts",
    "Layer",
    "Model",
    "ModelRun",
    "Recording",
    "WeightsRun",
    "load_model",
    "packaged",
    "read_divisor",
    "read_facts",
    "read_residual",
    "typed_specials",
]
