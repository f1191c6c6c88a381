FROM php:8.4-apache AS build
WORKDIR /app
ENV COMPOSER_FUND=0
ARG GREETING
COPY source/ /app/
RUN mkdir -p /longshore/etc/apache2/sites-enabled && printf '%s\n' '<IfModule !rewrite_module>' 'LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so' '</IfModule>' 'ServerName localhost' 'ServerTokens Prod' '<VirtualHost *:${PORT}>' 'DocumentRoot "/app/public"' 'ErrorLog /proc/self/fd/2' 'CustomLog /proc/self/fd/1 combined' 'SetEnvIf X-Forwarded-Proto "^https$" HTTPS=on' '<Directory "/app/public">' 'Options -Indexes +FollowSymLinks' 'AllowOverride All' 'Require all granted' 'DirectoryIndex index.php index.html' 'FallbackResource /index.php' '</Directory>' '<LocationMatch "/\.(?!well-known/)|/(composer\.(json|lock)|auth\.json|Procfile|artisan)$|^/vendor/">' 'Require all denied' '</LocationMatch>' '</VirtualHost>' > /longshore/etc/apache2/sites-enabled/000-default.conf
RUN mkdir -p /longshore/etc/apache2 && printf '%s\n' 'Listen ${PORT}' > /longshore/etc/apache2/ports.conf

FROM php:8.4-apache
ENV HOME="/app"
COPY --from=build --chown=1000:1000 /app/ /app/
COPY --from=build --chown=1000:1000 /longshore/etc/apache2/sites-enabled/000-default.conf /etc/apache2/sites-enabled/000-default.conf
COPY --from=build --chown=1000:1000 /longshore/etc/apache2/ports.conf /etc/apache2/ports.conf
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec apache2-foreground"]
