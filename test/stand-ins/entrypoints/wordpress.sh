#!/bin/bash
# Contract of the official image, as far as apps of the catalogue use it: WORDPRESS_DB_HOST, _USER, _PASSWORD and _NAME; the program is copied
# into the volume /var/www/html at the first start; port 80.
set -eo pipefail

cd /var/www/html
if [ ! -e index.php ]; then
  cp -R /usr/share/wordpress/. . 2>/dev/null || true # some links lead to packages that are left out
  cp /usr/local/lib/wp-config.php wp-config.php
  chown -R www-data:www-data .
fi
modules=(mysqlnd mysqli gd dom simplexml xml mbstring)
exec gosu www-data php8.4 "${modules[@]/#/-dextension=}" -S 0.0.0.0:80 -t /var/www/html
