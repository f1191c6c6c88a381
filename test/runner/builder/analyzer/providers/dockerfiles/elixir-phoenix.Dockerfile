FROM elixir:1.18-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends build-essential ca-certificates git && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ARG GREETING
ENV MIX_ENV="prod"
ENV LANG="C.UTF-8"
RUN mix local.hex --force && mix local.rebar --force
COPY source/mix.exs source/mix.lock /app/
COPY source/config/config.exs /app/config/
RUN mix deps.get --only prod && mix deps.compile
COPY source/ /app/
RUN mix assets.deploy
RUN mix release --overwrite --path /release

FROM debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libncurses6 libssl3 libstdc++6 && rm -rf /var/lib/apt/lists/*
ENV HOME="/app"
ENV LANG="C.UTF-8"
ENV MIX_ENV="prod"
ENV PHX_SERVER="true"
COPY --from=build --chown=1000:1000 /release/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec /app/bin/orders start"]
