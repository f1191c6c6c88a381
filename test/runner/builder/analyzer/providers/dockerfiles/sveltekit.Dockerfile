FROM node:24-slim AS build
WORKDIR /app
COPY source/ /app/
RUN npm ci --no-audit --no-fund --include=dev
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV HOME="/app"
ENV NODE_ENV="production"
ENV PATH="/app/node_modules/.bin:$PATH"
ENV HOST="0.0.0.0"
ENV PROTOCOL_HEADER="x-forwarded-proto"
COPY --from=build --chown=1000:1000 /app/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec node build"]
