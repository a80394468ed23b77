"""The least that a page with torch can be: the import and one line."""

import streamlit as st
import torch

st.write(f"A page with torch {torch.__version__}")
