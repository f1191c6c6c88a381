FROM node:24-slim AS build
WORKDIR /app
COPY source/package.json source/package-lock.json /app/
RUN npm ci --no-audit --no-fund --omit=dev

FROM node:24-slim
ENV HOME="/app"
ENV NODE_ENV="production"
ENV PATH="/app/node_modules/.bin:$PATH"
ENV HOST="0.0.0.0"
COPY --from=build --chown=1000:1000 /app/node_modules/ /app/node_modules/
COPY --chown=1000:1000 source/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec node index.js"]
