FROM golang:1.25 AS build
WORKDIR /app
ARG GREETING
ENV CGO_ENABLED="0"
ENV GOFLAGS="-buildvcs=false"
COPY source/go.mod source/go.sum /app/
RUN --mount=type=cache,id=svc_1-root-.cache-go-build,sharing=locked,target=/root/.cache/go-build --mount=type=cache,id=svc_1-go-pkg-mod,sharing=locked,target=/go/pkg/mod go mod download
COPY source/ /app/
RUN --mount=type=cache,id=svc_1-root-.cache-go-build,sharing=locked,target=/root/.cache/go-build --mount=type=cache,id=svc_1-go-pkg-mod,sharing=locked,target=/go/pkg/mod go build -trimpath -ldflags="-s -w" -o /usr/local/bin/app .

FROM debian:trixie-slim
ENV HOME="/app"
ENV GIN_MODE="release"
COPY --from=build --chown=1000:1000 /usr/local/bin/app /usr/local/bin/app
COPY --from=build --chown=1000:1000 /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec /usr/local/bin/app"]
