FROM python:3.13-slim AS build
WORKDIR /app
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
ARG GREETING
RUN --mount=type=cache,id=svc_1-root-.cache-pip,sharing=locked,target=/root/.cache/pip pip install uv
RUN python -m venv --without-pip /venv
ENV VIRTUAL_ENV="/venv"
ENV PATH="/venv/bin:$PATH"
ENV UV_PROJECT_ENVIRONMENT="/venv"
ENV UV_PYTHON="/usr/local/bin/python3"
ENV UV_PYTHON_DOWNLOADS="never"
ENV UV_LINK_MODE="copy"
COPY source/pyproject.toml source/uv.lock /app/
RUN --mount=type=cache,id=svc_1-root-.cache-uv,sharing=locked,target=/root/.cache/uv uv sync --locked --no-dev --no-install-project
COPY source/ /app/
RUN --mount=type=cache,id=svc_1-root-.cache-uv,sharing=locked,target=/root/.cache/uv uv sync --locked --no-dev

FROM python:3.13-slim
ENV HOME="/app"
ENV VIRTUAL_ENV="/venv"
ENV PATH="/venv/bin:$PATH"
ENV PYTHONUNBUFFERED="1"
ENV PYTHONDONTWRITEBYTECODE="1"
COPY --from=build --chown=1000:1000 /venv/ /venv/
COPY --from=build --chown=1000:1000 /app/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec uvicorn orders.main:app --app-dir src --host 0.0.0.0 --port $PORT --proxy-headers --forwarded-allow-ips=\"*\""]
