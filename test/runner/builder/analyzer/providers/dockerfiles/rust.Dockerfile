FROM rust:1.85-slim AS build
WORKDIR /app
ARG GREETING
COPY source/ /app/
RUN --mount=type=cache,id=svc_1-usr-local-cargo-registry,sharing=locked,target=/usr/local/cargo/registry --mount=type=cache,id=svc_1-usr-local-cargo-git,sharing=locked,target=/usr/local/cargo/git --mount=type=cache,id=svc_1-app-target,sharing=locked,target=/app/target cargo build --release --locked --bin shop && cp target/release/shop /usr/local/bin/app

FROM debian:trixie-slim
ENV HOME="/app"
COPY --from=build --chown=1000:1000 /usr/local/bin/app /usr/local/bin/app
COPY --from=build --chown=1000:1000 /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec /usr/local/bin/app"]
