FROM node:24-slim AS build
WORKDIR /app
ENV NPM_CONFIG_UPDATE_NOTIFIER=false NPM_CONFIG_FUND=false PNPM_CONFIG_UPDATE_NOTIFIER=false ADBLOCK=1 DISABLE_OPENCOLLECTIVE=1 BROWSERSLIST_IGNORE_OLD_DATA=1 PRISMA_HIDE_UPDATE_MESSAGE=1 NEXT_TELEMETRY_DISABLED=1 NUXT_TELEMETRY_DISABLED=1 ASTRO_TELEMETRY_DISABLED=1 DO_NOT_TRACK=1 NG_CLI_ANALYTICS=false GATSBY_TELEMETRY_DISABLED=1 STORYBOOK_DISABLE_TELEMETRY=1 TURBO_TELEMETRY_DISABLED=1 EXPO_NO_TELEMETRY=1 CHECKPOINT_DISABLE=1 STRAPI_TELEMETRY_DISABLED=true MEDUSA_DISABLE_TELEMETRY=true
COPY source/package.json source/package-lock.json /app/
RUN npm ci --no-audit --no-fund --include=dev
COPY source/ /app/
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV HOME="/app"
ENV NODE_ENV="production"
ENV NPM_CONFIG_UPDATE_NOTIFIER="false"
ENV npm_package_name="hono"
ENV npm_config_user_agent="npm/? node/v24 linux"
ENV PATH="/app/node_modules/.bin:$PATH"
ENV HOST="0.0.0.0"
COPY --from=build --chown=1000:1000 /app/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec node dist/index.js"]
