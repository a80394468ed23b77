# docker build -t attention-viz . && docker run -p 8501:8501 attention-viz
FROM python:3.13-slim

# Where torch comes from. This index has it without CUDA, which the app never uses.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu

WORKDIR /srv/attention-viz
# Before the code, so that a change of the code installs nothing again.
COPY requirements.txt .
RUN pip install --no-cache-dir --index-url "$TORCH_INDEX" "$(grep '^torch==' requirements.txt)" \
    && pip install --no-cache-dir -r requirements.txt
COPY .streamlit .streamlit
COPY assets assets
COPY attention_viz attention_viz
COPY app.py .

# The app needs no rights, and writes nothing into its folder.
RUN useradd --create-home attention-viz
USER attention-viz

EXPOSE 8501
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=5)"]
# The configuration listens on this machine only, which in a container would be nobody.
ENTRYPOINT ["streamlit", "run", "app.py", "--server.address", "0.0.0.0"]
