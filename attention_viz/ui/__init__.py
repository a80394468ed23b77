"""The pages. The only folder that imports Streamlit."""
