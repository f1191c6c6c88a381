FROM elixir:1.18-slim AS build
WORKDIR /app
ARG GREETING
ENV MIX_ENV="prod"
ENV LANG="C.UTF-8"
COPY source/ /app/
RUN mix release --overwrite --path /release

FROM debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libncurses6 libssl3 libstdc++6 && rm -rf /var/lib/apt/lists/*
ENV HOME="/app"
ENV LANG="C.UTF-8"
ENV MIX_ENV="prod"
COPY --from=build --chown=1000:1000 /release/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec /app/bin/shop start"]
