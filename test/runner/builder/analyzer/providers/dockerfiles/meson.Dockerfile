FROM buildpack-deps:trixie AS build
RUN apt-get update && apt-get install -y --no-install-recommends meson ninja-build pkg-config && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ARG GREETING
COPY source/ /app/
RUN meson setup build --buildtype=release && meson compile -C build && program="$(find /app -type f -name 'quotes' -perm -u+x ! -path '*/CMakeFiles/*' | head -n 1)" && if [ -z "$program" ]; then echo "The build made no program named quotes." >&2; exit 1; fi && cp "$program" /usr/local/bin/app && mkdir -p /usr/local/lib/app && ldd /usr/local/bin/app | grep -oE '/[^ ]+\.so[^ ]*' | grep -vE '/(ld-linux|libc|libm|libdl|libpthread|librt|libresolv)[.-]' | xargs -r cp -L -t /usr/local/lib/app

FROM debian:trixie-slim
ENV HOME="/app"
ENV LD_LIBRARY_PATH="/usr/local/lib/app"
COPY --from=build --chown=1000:1000 /usr/local/bin/app /usr/local/bin/app
COPY --from=build --chown=1000:1000 /usr/local/lib/app/ /usr/local/lib/app/
COPY --from=build --chown=1000:1000 /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec /usr/local/bin/app"]
