FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev libpq-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
ARG GREETING
RUN python -m venv /venv
ENV VIRTUAL_ENV="/venv"
ENV PATH="/venv/bin:$PATH"
COPY source/requirements.txt /app/
RUN --mount=type=cache,id=svc_1-root-.cache-pip,sharing=locked,target=/root/.cache/pip pip install -r requirements.txt
COPY source/ /app/
RUN python manage.py collectstatic --noinput

FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends libpq5 && rm -rf /var/lib/apt/lists/*
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
CMD ["/bin/sh", "-c", "exec gunicorn --bind 0.0.0.0:$PORT shop.wsgi:application"]
