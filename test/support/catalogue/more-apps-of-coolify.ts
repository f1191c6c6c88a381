// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** The second half of apps of Coolify's catalogue. */
import { app, connection, mysql, postgres, redis, secret } from './app.ts';

const site = '${PUBLIC_URL}';

export const moreAppsOfCoolify = [
  app('Keycloak', 'keycloak-with-postgres', {
    db: postgres('keycloak'),
    app: {
      image: 'quay.io/keycloak/keycloak:26.1',
      port: 8080,
      volumes: { data: '/opt/keycloak/data' },
      env: {
        ...{
          KC_DB: 'postgres',
          KC_DB_USERNAME: '${db.POSTGRES_USER}',
          KC_DB_PASSWORD: '${db.POSTGRES_PASSWORD}',
        },
        ...{
          KC_DB_URL: 'jdbc:postgresql://db/${db.POSTGRES_DB}',
          KC_HOSTNAME: site,
          KC_PROXY_HEADERS: 'xforwarded',
        },
        ...{
          KC_HTTP_ENABLED: 'true',
          KC_BOOTSTRAP_ADMIN_USERNAME: 'admin',
          KC_BOOTSTRAP_ADMIN_PASSWORD: secret,
        },
      },
      more: { command: ['start'], healthCheckStartPeriodSeconds: 300 },
    },
  }),
  app('linkding', 'linkding', {
    app: {
      image: 'sissbruecker/linkding:1.38',
      port: 9090,
      volumes: { data: '/etc/linkding/data' },
      env: { LD_SUPERUSER_NAME: 'admin', LD_SUPERUSER_PASSWORD: secret },
    },
  }),
  app('listmonk', 'listmonk', {
    db: postgres('listmonk'),
    app: {
      image: 'listmonk/listmonk:v6.0.0',
      port: 9000,
      volumes: { uploads: '/listmonk/uploads' },
      env: { ADDRESS: '0.0.0.0:9000', ...connection(['DB_HOST', 'DB_USER', 'DB_PASSWORD', 'DB_NAME']) },
      names: {
        ...{ ADDRESS: 'LISTMONK_app__address', DB_HOST: 'LISTMONK_db__host', DB_USER: 'LISTMONK_db__user' },
        ...{ DB_PASSWORD: 'LISTMONK_db__password', DB_NAME: 'LISTMONK_db__database' },
      },
      more: { entrypoint: ['sh', '-c'], command: ['./listmonk --install --yes --idempotent && ./listmonk'] },
    },
  }),
  app('Mattermost', 'mattermost', {
    db: postgres('mattermost'),
    app: {
      image: 'mattermost/mattermost-team-edition:release-10',
      port: 8065,
      volumes: {
        config: '/mattermost/config',
        data: '/mattermost/data',
        logs: '/mattermost/logs',
        plugins: '/mattermost/plugins',
        client: '/mattermost/client/plugins',
        indexes: '/mattermost/bleve-indexes',
      },
      env: {
        MM_SERVICESETTINGS_SITEURL: site,
        MM_SQLSETTINGS_DRIVERNAME: 'postgres',
        MM_SQLSETTINGS_DATASOURCE: '${db.DATABASE_URL}?sslmode=disable',
      },
    },
  }),
  app('Mealie', 'mealie', {
    app: {
      image: 'ghcr.io/mealie-recipes/mealie:v3.17.0',
      port: 9000,
      volumes: { data: '/app/data' },
      env: { BASE_URL: site, ALLOW_SIGNUP: 'true' },
    },
  }),
  app('Memos', 'memos', {
    app: { image: 'neosmemo/memos:stable', port: 5230, volumes: { memos: '/var/opt/memos' } },
  }),
  app('Metabase', 'metabase', {
    db: postgres('metabase'),
    app: {
      image: 'metabase/metabase:v0.53',
      port: 3000,
      env: {
        MB_DB_TYPE: 'postgres',
        MB_SITE_URL: site,
        ...connection(['MB_DB_HOST', 'MB_DB_USER', 'MB_DB_PASS', 'MB_DB_DBNAME']),
      },
      more: { healthCheckPath: '/api/health', healthCheckStartPeriodSeconds: 600, memoryLimitMb: 2048 },
    },
  }),
  app('n8n', 'n8n-with-postgresql', {
    db: postgres('n8n'),
    n8n: {
      image: 'n8nio/n8n:2.10.2',
      port: 5678,
      volumes: { data: '/home/node/.n8n' },
      env: {
        ...connection([
          'DB_POSTGRESDB_HOST',
          'DB_POSTGRESDB_USER',
          'DB_POSTGRESDB_PASSWORD',
          'DB_POSTGRESDB_DATABASE',
        ]),
        ...{ DB_TYPE: 'postgresdb', WEBHOOK_URL: site, N8N_EDITOR_BASE_URL: site, N8N_PROXY_HOPS: '1' },
        ...{
          N8N_RUNNERS_ENABLED: 'true',
          N8N_RUNNERS_MODE: 'external',
          N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '0.0.0.0',
          N8N_RUNNERS_AUTH_TOKEN: secret,
        },
      },
    },
    runners: {
      image: 'n8nio/runners:2.10.2',
      env: {
        N8N_RUNNERS_TASK_BROKER_URI: 'http://n8n:5679',
        N8N_RUNNERS_AUTH_TOKEN: '${n8n.N8N_RUNNERS_AUTH_TOKEN}',
      },
    },
  }),
  app('Nextcloud', 'nextcloud-with-postgres', {
    db: postgres('nextcloud'),
    redis,
    app: {
      image: 'lscr.io/linuxserver/nextcloud:31.0.0',
      port: 80,
      volumes: { config: '/config', data: '/data' },
      env: {
        ...connection(['POSTGRES_HOST', 'POSTGRES_USER', 'POSTGRES_PASSWORD', 'POSTGRES_DB']),
        ...{ REDIS_HOST: 'redis', REDIS_HOST_PASSWORD: '${redis.REDIS_PASSWORD}', PUID: '1000' },
      },
      more: { healthCheckStartPeriodSeconds: 900 },
    },
  }),
  app('NocoDB', 'nocodb', {
    app: {
      image: 'nocodb/nocodb:0.260.2',
      port: 8080,
      volumes: { data: '/usr/app/data' },
      env: { NC_PUBLIC_URL: site },
    },
  }),
  app('Odoo', 'odoo', {
    db: postgres('postgres'),
    app: {
      image: 'odoo:18',
      port: 8069,
      volumes: { data: '/var/lib/odoo', addons: '/mnt/extra-addons' },
      env: { HOST: 'db', USER: '${db.POSTGRES_USER}', PASSWORD: '${db.POSTGRES_PASSWORD}' },
    },
  }),
  app('Paperless-ngx', 'paperless', {
    redis,
    app: {
      image: 'paperlessngx/paperless-ngx:2.14',
      port: 8000,
      volumes: {
        data: '/usr/src/paperless/data',
        media: '/usr/src/paperless/media',
        export: '/usr/src/paperless/export',
        consume: '/usr/src/paperless/consume',
      },
      env: {
        PAPERLESS_URL: site,
        PAPERLESS_REDIS: '${redis.REDIS_URL}',
        PAPERLESS_ADMIN_USER: 'admin',
        PAPERLESS_ADMIN_PASSWORD: secret,
        PAPERLESS_SECRET_KEY: secret,
      },
    },
  }),
  app('Plausible', 'plausible', {
    db: postgres('plausible'),
    events: { engine: 'clickhouse' },
    app: {
      image: 'ghcr.io/plausible/community-edition:v3.0.1',
      port: 8000,
      env: {
        DATABASE_URL: '${db.DATABASE_URL}',
        CLICKHOUSE_DATABASE_URL: '${events.CLICKHOUSE_URL}',
        BASE_URL: site,
        SECRET_KEY_BASE: secret,
        TOTP_VAULT_KEY: secret,
      },
      more: {
        command: [
          'sh',
          '-c',
          '/entrypoint.sh db createdb && /entrypoint.sh db migrate && /entrypoint.sh run',
        ],
        healthCheckPath: '/api/health',
      },
    },
  }),
  app('Rallly', 'rallly', {
    db: postgres('rallly'),
    app: {
      image: 'lukevella/rallly:3.11',
      port: 3000,
      env: { DATABASE_URL: '${db.DATABASE_URL}', SECRET_PASSWORD: secret, NEXT_PUBLIC_BASE_URL: site },
    },
  }),
  app('SearXNG', 'searxng', {
    redis,
    app: {
      image: 'searxng/searxng:2025.1.1',
      port: 8080,
      env: { BASE_URL: site, SEARXNG_SECRET: secret, SEARXNG_REDIS_URL: '${redis.REDIS_URL}' },
      files: {
        '/etc/searxng/settings.yml':
          'use_default_settings: true\nserver:\n  limiter: false\n  image_proxy: true\nsearch:\n  formats: [html, json]\n',
        '/etc/searxng/limiter.toml': '[botdetection.ip_limit]\nlink_token = true\n',
      },
      more: { healthCheckPath: '/healthz' },
    },
  }),
  app('Shlink', 'shlink', {
    shlink: {
      image: 'shlinkio/shlink:stable',
      port: 8080,
      volumes: { data: '/etc/shlink/data' },
      env: { DEFAULT_DOMAIN: '${PUBLIC_HOST}', INITIAL_API_KEY: secret },
    },
    web: {
      image: 'shlinkio/shlink-web-client:4.3',
      port: 8080,
      env: { SHLINK_SERVER_URL: '${shlink.PUBLIC_URL}', SHLINK_SERVER_API_KEY: '${shlink.INITIAL_API_KEY}' },
    },
  }),
  app('Umami', 'umami', {
    db: postgres('umami'),
    app: {
      image: 'ghcr.io/umami-software/umami:3.0.3',
      port: 3000,
      env: { DATABASE_URL: '${db.DATABASE_URL}', DATABASE_TYPE: 'postgres', APP_SECRET: secret },
    },
  }),
  app('Uptime Kuma', 'uptime-kuma', {
    app: { image: 'louislam/uptime-kuma:2', port: 3001, volumes: { data: '/app/data' } },
  }),
  app('Vaultwarden', 'vaultwarden', {
    app: {
      image: 'vaultwarden/server:1.33.2',
      port: 80,
      volumes: { data: '/data' },
      env: { DOMAIN: site, ADMIN_TOKEN: secret, IP_HEADER: 'X-Forwarded-For' },
      more: { healthCheckPath: '/alive' },
    },
  }),
  app('WordPress', 'wordpress-with-mysql', {
    db: mysql('wordpress'),
    app: {
      image: 'wordpress:6.7',
      port: 80,
      volumes: { files: '/var/www/html' },
      env: connection(
        ['WORDPRESS_DB_HOST', 'WORDPRESS_DB_USER', 'WORDPRESS_DB_PASSWORD', 'WORDPRESS_DB_NAME'],
        'MYSQL',
      ),
    },
  }),
];
