FROM python:3.13-slim AS build
WORKDIR /app
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
ARG GREETING
RUN --mount=type=cache,id=svc_1-root-.cache-pip,sharing=locked,target=/root/.cache/pip pip install poetry
RUN python -m venv --without-pip /venv
ENV VIRTUAL_ENV="/venv"
ENV PATH="/venv/bin:$PATH"
ENV POETRY_VIRTUALENVS_CREATE="false"
ENV POETRY_NO_INTERACTION="1"
COPY source/pyproject.toml source/poetry.lock /app/
RUN --mount=type=cache,id=svc_1-root-.cache-pypoetry,sharing=locked,target=/root/.cache/pypoetry poetry install --only main --no-root
COPY source/ /app/

FROM python:3.13-slim
ENV HOME="/app"
ENV VIRTUAL_ENV="/venv"
ENV PATH="/venv/bin:$PATH"
ENV PYTHONUNBUFFERED="1"
ENV PYTHONDONTWRITEBYTECODE="1"
COPY --from=build --chown=1000:1000 /venv/ /venv/
COPY --chown=1000:1000 source/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec gunicorn --bind 0.0.0.0:$PORT 'guestbook:create_app()'"]
