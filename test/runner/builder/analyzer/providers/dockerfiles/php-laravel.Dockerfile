FROM php:8.4-apache AS build
RUN apt-get update && apt-get install -y --no-install-recommends git libfreetype6-dev libjpeg62-turbo-dev libpng-dev libpq-dev libwebp-dev unzip && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NPM_CONFIG_UPDATE_NOTIFIER=false NPM_CONFIG_FUND=false PNPM_CONFIG_UPDATE_NOTIFIER=false ADBLOCK=1 DISABLE_OPENCOLLECTIVE=1 BROWSERSLIST_IGNORE_OLD_DATA=1 PRISMA_HIDE_UPDATE_MESSAGE=1 NEXT_TELEMETRY_DISABLED=1 NUXT_TELEMETRY_DISABLED=1 ASTRO_TELEMETRY_DISABLED=1 DO_NOT_TRACK=1 NG_CLI_ANALYTICS=false GATSBY_TELEMETRY_DISABLED=1 STORYBOOK_DISABLE_TELEMETRY=1 TURBO_TELEMETRY_DISABLED=1 EXPO_NO_TELEMETRY=1 CHECKPOINT_DISABLE=1 STRAPI_TELEMETRY_DISABLED=true MEDUSA_DISABLE_TELEMETRY=true COMPOSER_FUND=0
ARG GREETING
RUN docker-php-ext-configure gd --with-freetype --with-jpeg --with-webp && docker-php-ext-install -j"$(nproc)" bcmath gd pcntl pdo_mysql pdo_pgsql
COPY --from=composer:2 /usr/bin/composer /usr/bin/composer
ENV COMPOSER_ALLOW_SUPERUSER="1"
ENV APP_ENV="production"
ENV LOG_CHANNEL="stderr"
COPY source/composer.json source/composer.lock /app/
RUN --mount=type=cache,id=svc_1-root-.composer-cache,sharing=locked,target=/root/.composer/cache --mount=type=cache,id=svc_1-root-.cache-composer,sharing=locked,target=/root/.cache/composer composer install --no-dev --no-interaction --no-progress --prefer-dist --no-scripts --no-autoloader
COPY source/ /app/
RUN composer dump-autoload --no-dev --optimize
COPY --from=node:24-slim /usr/local/bin/node /usr/local/bin/node
COPY --from=node:24-slim /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN --mount=type=cache,id=svc_1-root-.npm,sharing=locked,target=/root/.npm ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -sf ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
RUN --mount=type=cache,id=svc_1-root-.npm,sharing=locked,target=/root/.npm npm install --no-audit --no-fund --include=dev
RUN npm run build
RUN rm -rf node_modules
RUN mkdir -p /longshore/etc/apache2/sites-enabled && printf '%s\n' '<IfModule !rewrite_module>' 'LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so' '</IfModule>' 'ServerName localhost' 'ServerTokens Prod' '<VirtualHost *:${PORT}>' 'DocumentRoot "/app/public"' 'ErrorLog /proc/self/fd/2' 'CustomLog /proc/self/fd/1 combined' 'SetEnvIf X-Forwarded-Proto "^https$" HTTPS=on' '<Directory "/app/public">' 'Options -Indexes +FollowSymLinks' 'AllowOverride All' 'Require all granted' 'DirectoryIndex index.php index.html' 'FallbackResource /index.php' '</Directory>' '<LocationMatch "/\.(?!well-known/)|/(composer\.(json|lock)|auth\.json|Procfile|artisan)$|^/vendor/">' 'Require all denied' '</LocationMatch>' '</VirtualHost>' > /longshore/etc/apache2/sites-enabled/000-default.conf
RUN mkdir -p /longshore/etc/apache2 && printf '%s\n' 'Listen ${PORT}' > /longshore/etc/apache2/ports.conf

FROM php:8.4-apache
RUN apt-get update && apt-get install -y --no-install-recommends libfreetype6 libjpeg62-turbo libpng16-16 libpq5 libwebp7 && rm -rf /var/lib/apt/lists/*
ENV HOME="/app"
ENV APP_ENV="production"
ENV LOG_CHANNEL="stderr"
COPY --from=build --chown=1000:1000 /usr/local/lib/php/extensions/ /usr/local/lib/php/extensions/
COPY --from=build --chown=1000:1000 /usr/local/etc/php/conf.d/ /usr/local/etc/php/conf.d/
COPY --from=build --chown=1000:1000 /app/ /app/
COPY --from=build --chown=1000:1000 /longshore/etc/apache2/sites-enabled/000-default.conf /etc/apache2/sites-enabled/000-default.conf
COPY --from=build --chown=1000:1000 /longshore/etc/apache2/ports.conf /etc/apache2/ports.conf
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec apache2-foreground"]
