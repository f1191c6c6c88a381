FROM ruby:3.4.7-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends build-essential git libpq-dev libyaml-dev pkg-config && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NPM_CONFIG_UPDATE_NOTIFIER=false NPM_CONFIG_FUND=false PNPM_CONFIG_UPDATE_NOTIFIER=false ADBLOCK=1 DISABLE_OPENCOLLECTIVE=1 BROWSERSLIST_IGNORE_OLD_DATA=1 PRISMA_HIDE_UPDATE_MESSAGE=1 NEXT_TELEMETRY_DISABLED=1 NUXT_TELEMETRY_DISABLED=1 ASTRO_TELEMETRY_DISABLED=1 DO_NOT_TRACK=1 NG_CLI_ANALYTICS=false GATSBY_TELEMETRY_DISABLED=1 STORYBOOK_DISABLE_TELEMETRY=1 TURBO_TELEMETRY_DISABLED=1 EXPO_NO_TELEMETRY=1 CHECKPOINT_DISABLE=1 STRAPI_TELEMETRY_DISABLED=true MEDUSA_DISABLE_TELEMETRY=true BUNDLE_IGNORE_FUNDING_REQUESTS=true BUNDLE_SILENCE_ROOT_WARNING=true
ARG GREETING
ENV BUNDLE_PATH="/usr/local/bundle"
ENV BUNDLE_WITHOUT="development:test"
ENV BUNDLE_DEPLOYMENT="1"
ENV RAILS_ENV="production"
COPY source/Gemfile source/Gemfile.lock /app/
RUN bundle install && rm -rf "$BUNDLE_PATH"/ruby/*/cache
COPY source/ /app/
COPY --from=node:24-slim /usr/local/bin/node /usr/local/bin/node
COPY --from=node:24-slim /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN --mount=type=cache,id=svc_1-root-.npm,sharing=locked,target=/root/.npm ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -sf ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
RUN --mount=type=cache,id=svc_1-root-.npm,sharing=locked,target=/root/.npm npm install --no-audit --no-fund --include=dev
RUN npm run build
RUN bundle exec bootsnap precompile --gemfile app/ lib/
RUN SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile
RUN rm -rf node_modules
RUN mkdir -p /usr/local/bundle

FROM ruby:3.4.7-slim
RUN apt-get update && apt-get install -y --no-install-recommends libpq5 && rm -rf /var/lib/apt/lists/*
ENV HOME="/app"
ENV BUNDLE_PATH="/usr/local/bundle"
ENV BUNDLE_WITHOUT="development:test"
ENV BUNDLE_DEPLOYMENT="1"
ENV RAILS_ENV="production"
ENV RAILS_LOG_TO_STDOUT="1"
ENV RAILS_SERVE_STATIC_FILES="1"
COPY --from=build --chown=1000:1000 /usr/local/bundle/ /usr/local/bundle/
COPY --from=build --chown=1000:1000 /app/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec bundle exec rails server -b 0.0.0.0 -p $PORT"]
