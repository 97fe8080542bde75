# The environment of the docker and kubernetes deployments in prefect.yaml: Python, git and the packages, not the code.
# The repository is mounted (docker) or cloned (kubernetes) at /srv/crossbias, and each run makes its own checkout of it.
FROM python:3.11-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory '*'
WORKDIR /opt/crossbias
COPY pyproject.toml constraints.txt README.md LICENSE ./
RUN pip install --no-cache-dir --constraint constraints.txt '.[offline]'
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
ENV PYTHONPATH=/srv/crossbias DVC_NO_ANALYTICS=1 PREFECT_SERVER_ANALYTICS_ENABLED=false DO_NOT_TRACK=1
WORKDIR /srv
