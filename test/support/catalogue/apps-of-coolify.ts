// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** The first half of apps of Coolify's catalogue (templates/compose), translated by hand. */
import { app, connection, mysql, postgres, redis, secret } from './app.ts';

const site = '${PUBLIC_URL}';

export const appsOfCoolify = [
  app('Actual Budget', 'actualbudget', {
    app: {
      image: 'actualbudget/actual-server:25.1.0',
      port: 5006,
      volumes: { data: '/data' },
      env: { ACTUAL_LOGIN_METHOD: 'password' },
    },
  }),
  app('Activepieces', 'activepieces', {
    db: postgres(),
    redis,
    app: {
      image: 'ghcr.io/activepieces/activepieces:0.75.0',
      port: 80,
      env: {
        ...connection([
          'AP_POSTGRES_HOST',
          'AP_POSTGRES_USERNAME',
          'AP_POSTGRES_PASSWORD',
          'AP_POSTGRES_DATABASE',
        ]),
        ...{ AP_REDIS_HOST: 'redis', AP_REDIS_PASSWORD: '${redis.REDIS_PASSWORD}', AP_FRONTEND_URL: site },
        ...{ AP_JWT_SECRET: secret, AP_ENCRYPTION_KEY: secret, AP_EXECUTION_MODE: 'UNSANDBOXED' },
      },
    },
  }),
  app('Audiobookshelf', 'audiobookshelf', {
    app: {
      image: 'ghcr.io/advplyr/audiobookshelf:2.34.0',
      port: 80,
      volumes: { audiobooks: '/audiobooks', podcasts: '/podcasts', config: '/config', metadata: '/metadata' },
      more: { healthCheckPath: '/ping', healthCheckStartPeriodSeconds: 120 },
    },
  }),
  app('BookStack', 'bookstack', {
    db: mysql('bookstack'),
    app: {
      image: 'lscr.io/linuxserver/bookstack:25.02',
      port: 80,
      volumes: { config: '/config' },
      env: {
        ...connection(['DB_HOST', 'DB_USERNAME', 'DB_PASSWORD', 'DB_DATABASE'], 'MYSQL'),
        APP_URL: site,
        APP_KEY: secret,
        PUID: '1000',
        PGID: '1000',
      },
    },
  }),
  app('Calibre-Web', 'calibre-web', {
    app: {
      image: 'lscr.io/linuxserver/calibre-web:0.6.24',
      port: 8083,
      volumes: { config: '/config', library: '/books' },
      env: { PUID: '1000' },
    },
  }),
  app('changedetection.io', 'changedetection', {
    app: {
      image: 'ghcr.io/dgtlmoon/changedetection.io:0.49',
      port: 5000,
      volumes: { datastore: '/datastore' },
      env: { BASE_URL: site, PLAYWRIGHT_DRIVER_URL: 'ws://browser:3000' },
    },
    browser: { image: 'browserless/chrome:1.61', more: { internalPort: 3000, shmSizeMb: 1024 } },
  }),
  app('code-server', 'code-server', {
    app: {
      image: 'lscr.io/linuxserver/code-server:4.96.4',
      port: 8443,
      volumes: { config: '/config' },
      env: { PASSWORD: secret, SUDO_PASSWORD: secret },
    },
  }),
  app('Directus', 'directus-with-postgresql', {
    db: postgres('directus', { engine: 'postgres' }),
    redis,
    app: {
      image: 'directus/directus:11',
      port: 8055,
      volumes: {
        uploads: '/directus/uploads',
        extensions: '/directus/extensions',
        templates: '/directus/templates',
      },
      env: {
        ...connection(['DB_HOST', 'DB_USER', 'DB_PASSWORD', 'DB_DATABASE']),
        ...{ DB_CLIENT: 'pg', DB_PORT: '5432', REDIS: '${redis.REDIS_URL}', PUBLIC_URL: site },
        ...{ KEY: secret, SECRET: secret, ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: secret },
      },
    },
  }),
  app('Docmost', 'docmost', {
    db: postgres('docmost'),
    redis,
    app: {
      image: 'docmost/docmost:0.8',
      port: 3000,
      volumes: { storage: '/app/data/storage' },
      env: {
        APP_SECRET: secret,
        APP_URL: site,
        DATABASE_URL: '${db.DATABASE_URL}?schema=public',
        REDIS_URL: '${redis.REDIS_URL}',
      },
    },
  }),
  app('Drupal', 'drupal-with-postgresql', {
    db: postgres(),
    app: {
      image: 'drupal:10-apache',
      port: 80,
      volumes: {
        modules: '/var/www/html/modules',
        profiles: '/var/www/html/profiles',
        themes: '/var/www/html/themes',
        sites: '/var/www/html/sites',
      },
      env: connection(['DB_HOST', 'DB_USER', 'DB_PASSWORD', 'DB_NAME']),
    },
  }),
  app('Firefly III', 'firefly', {
    db: mysql('firefly'),
    app: {
      image: 'fireflyiii/core:version-6.1',
      port: 8080,
      volumes: { upload: '/var/www/html/storage/upload' },
      env: {
        ...connection(['DB_HOST', 'DB_USERNAME', 'DB_PASSWORD', 'DB_DATABASE'], 'MYSQL'),
        ...{
          DB_CONNECTION: 'mysql',
          APP_KEY: secret,
          APP_URL: site,
          STATIC_CRON_TOKEN: secret,
          TRUSTED_PROXIES: '*',
        },
      },
      schedules: { '0 3 * * *': 'php artisan firefly-iii:cron' },
      more: { healthCheckPath: '/health' },
    },
  }),
  app('FreshRSS', 'freshrss-with-postgresql', {
    db: postgres('freshrss'),
    app: {
      image: 'freshrss/freshrss:1.25.0',
      port: 80,
      volumes: { data: '/var/www/FreshRSS/data', extensions: '/var/www/FreshRSS/extensions' },
      env: { ...connection(['DB_HOST', 'DB_USER', 'DB_PASSWORD', 'DB_BASE']), CRON_MIN: '1,31' },
    },
  }),
  app('Ghost', 'ghost', {
    db: mysql('ghost'),
    app: {
      image: 'ghost:5',
      port: 2368,
      volumes: { content: '/var/lib/ghost/content' },
      env: {
        URL: site,
        DB_CLIENT: 'mysql',
        ...connection(['DB_HOST', 'DB_USER', 'DB_PASSWORD', 'DB_NAME'], 'MYSQL'),
      },
      names: {
        ...{ URL: 'url', DB_CLIENT: 'database__client', DB_HOST: 'database__connection__host' },
        ...{
          DB_USER: 'database__connection__user',
          DB_PASSWORD: 'database__connection__password',
          DB_NAME: 'database__connection__database',
        },
      },
    },
  }),
  app('Gitea', 'gitea-with-postgresql', {
    db: postgres('gitea'),
    app: {
      image: 'gitea/gitea:1.23',
      port: 3000,
      volumes: { data: '/data' },
      env: {
        ROOT_URL: site,
        DB_TYPE: 'postgres',
        ...connection(['DB_HOST', 'DB_USER', 'DB_PASSWD', 'DB_NAME']),
      },
      names: {
        ...{
          ROOT_URL: 'GITEA__server__ROOT_URL',
          DB_TYPE: 'GITEA__database__DB_TYPE',
          DB_HOST: 'GITEA__database__HOST',
        },
        ...{
          DB_USER: 'GITEA__database__USER',
          DB_PASSWD: 'GITEA__database__PASSWD',
          DB_NAME: 'GITEA__database__NAME',
        },
      },
    },
  }),
  app('Grafana', 'grafana-with-postgresql', {
    db: postgres('grafana'),
    app: {
      image: 'grafana/grafana-oss:11.5.0',
      port: 3000,
      volumes: { data: '/var/lib/grafana' },
      env: {
        ...connection(['GF_DATABASE_HOST', 'GF_DATABASE_USER', 'GF_DATABASE_PASSWORD', 'GF_DATABASE_NAME']),
        ...{
          GF_SERVER_ROOT_URL: site,
          GF_SERVER_DOMAIN: '${PUBLIC_HOST}',
          GF_DATABASE_TYPE: 'postgres',
          GF_SECURITY_ADMIN_PASSWORD: secret,
        },
      },
    },
  }),
  app('Jellyfin', 'jellyfin', {
    app: {
      image: 'lscr.io/linuxserver/jellyfin:10.11.8',
      port: 8096,
      volumes: { config: '/config', tvshows: '/data/tvshows', movies: '/data/movies' },
      env: { SERVER_URL: site },
      names: { SERVER_URL: 'JELLYFIN_PublishedServerUrl' },
    },
  }),
];
