FROM golang:1.24 AS build
WORKDIR /app
ARG GREETING
ENV CGO_ENABLED="0"
ENV GOFLAGS="-buildvcs=false"
COPY source/ /app/
RUN --mount=type=cache,id=svc_1-root-.cache-go-build,sharing=locked,target=/root/.cache/go-build --mount=type=cache,id=svc_1-go-pkg-mod,sharing=locked,target=/go/pkg/mod go build -trimpath -ldflags="-s -w" -o /usr/local/bin/app ./cmd/server

FROM debian:trixie-slim
ENV HOME="/app"
COPY --from=build --chown=1000:1000 /usr/local/bin/app /usr/local/bin/app
COPY --from=build --chown=1000:1000 /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --chown=1000:1000 source/templates/ /app/templates/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec /usr/local/bin/app"]
