// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** Apps of Dokploy's catalogue (blueprints), translated by hand. */
import { app, connection, postgres, redis, secret } from './app.ts';

const site = '${PUBLIC_URL}';
const chatwoot = {
  image: 'chatwoot/chatwoot:v4.12.1',
  env: {
    ...connection(['POSTGRES_HOST', 'POSTGRES_USERNAME', 'POSTGRES_PASSWORD', 'POSTGRES_DATABASE']),
    ...{
      FRONTEND_URL: '${chatwoot.PUBLIC_URL}',
      SECRET_KEY_BASE: secret,
      REDIS_URL: '${redis.REDIS_URL}',
      RAILS_ENV: 'production',
    },
  },
};

export const appsOfDokploy = [
  app('Cal.com', 'calcom', {
    db: postgres('cal'),
    app: {
      image: 'calcom/cal.com:v2.7.6',
      port: 3000,
      env: {
        DATABASE_URL: '${db.DATABASE_URL}',
        NEXTAUTH_SECRET: secret,
        CALENDSO_ENCRYPTION_KEY: secret,
        NEXT_PUBLIC_WEBAPP_URL: site,
        NEXTAUTH_URL: `${site}/api/auth`,
      },
    },
  }),
  app('Chatwoot', 'chatwoot', {
    // This image, unlike the default one, has the extension vector.
    db: postgres('chatwoot', { more: { imageRef: 'pgvector/pgvector:pg16' } }),
    redis,
    chatwoot: {
      ...chatwoot,
      port: 3000,
      volumes: { storage: '/app/storage' },
      more: {
        entrypoint: ['docker/entrypoints/rails.sh'],
        command: [
          'sh',
          '-c',
          'bundle exec rails db:chatwoot_prepare && bundle exec rails s -p 3000 -b 0.0.0.0',
        ],
      },
    },
    jobs: {
      ...chatwoot,
      env: { ...chatwoot.env, ACTIVE_STORAGE_SERVICE: 's3_compatible' },
      more: { command: ['bundle', 'exec', 'sidekiq', '-C', 'config/sidekiq.yml'] },
    },
  }),
  app('DocuSeal', 'docuseal', {
    db: postgres('docuseal'),
    app: {
      image: 'docuseal/docuseal:1.9',
      port: 3000,
      volumes: { data: '/data/docuseal' },
      env: { DATABASE_URL: '${db.DATABASE_URL}' },
    },
  }),
  app('Elasticsearch', 'elastic-search', {
    app: {
      image: 'docker.elastic.co/elasticsearch/elasticsearch:8.10.2',
      port: 9200,
      volumes: { data: '/usr/share/elasticsearch/data' },
      env: { DISCOVERY_TYPE: 'single-node', SECURITY: 'false', ES_JAVA_OPTS: '-Xms512m -Xmx512m' },
      names: { DISCOVERY_TYPE: 'discovery.type', SECURITY: 'xpack.security.enabled' },
      more: { memoryLimitMb: 1024, healthCheckPath: '/_cluster/health' },
    },
  }),
  app('Forgejo', 'forgejo', {
    db: postgres('forgejo'),
    app: {
      image: 'codeberg.org/forgejo/forgejo:10',
      port: 3000,
      volumes: { data: '/data' },
      env: {
        ROOT_URL: site,
        DB_TYPE: 'postgres',
        ...connection(['DB_HOST', 'DB_USER', 'DB_PASSWD', 'DB_NAME']),
      },
      names: {
        ...{
          ROOT_URL: 'FORGEJO__server__ROOT_URL',
          DB_TYPE: 'FORGEJO__database__DB_TYPE',
          DB_HOST: 'FORGEJO__database__HOST',
        },
        ...{
          DB_USER: 'FORGEJO__database__USER',
          DB_PASSWD: 'FORGEJO__database__PASSWD',
          DB_NAME: 'FORGEJO__database__NAME',
        },
      },
    },
  }),
  app('Gotify', 'gotify', {
    app: { image: 'gotify/server:2.9.1', port: 80, volumes: { data: '/app/data' } },
  }),
  app('Hoarder', 'hoarder', {
    web: {
      image: 'ghcr.io/hoarder-app/hoarder:0.22.0',
      port: 3000,
      volumes: { data: '/data' },
      env: {
        NEXTAUTH_URL: site,
        NEXTAUTH_SECRET: secret,
        MEILI_ADDR: '${meilisearch.INTERNAL_URL}',
        MEILI_MASTER_KEY: '${meilisearch.MEILI_MASTER_KEY}',
        BROWSER_WEB_URL: '${chrome.INTERNAL_URL}',
        DATA_DIR: '/data',
      },
    },
    chrome: {
      image: 'gcr.io/zenika-hub/alpine-chrome:124',
      more: {
        internalPort: 9222,
        command: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-dev-shm-usage',
          '--remote-debugging-address=0.0.0.0',
          '--remote-debugging-port=9222',
        ],
      },
    },
    meilisearch: {
      image: 'getmeili/meilisearch:v1.6',
      volumes: { data: '/meili_data' },
      env: { MEILI_MASTER_KEY: secret, MEILI_NO_ANALYTICS: 'true' },
      more: { internalPort: 7700 },
    },
  }),
  app('Linkwarden', 'linkwarden', {
    db: postgres('linkwarden'),
    app: {
      image: 'ghcr.io/linkwarden/linkwarden:v2.9.3',
      port: 3000,
      volumes: { data: '/data/data' },
      env: {
        DATABASE_URL: '${db.DATABASE_URL}',
        NEXTAUTH_SECRET: secret,
        NEXTAUTH_URL: `${site}/api/v1/auth`,
      },
    },
  }),
  app('Outline', 'outline', {
    db: postgres('outline'),
    redis,
    app: {
      image: 'outlinewiki/outline:0.82.0',
      port: 3000,
      volumes: { data: '/var/lib/outline/data' },
      env: {
        ...{
          URL: site,
          SECRET_KEY: secret,
          UTILS_SECRET: secret,
          DATABASE_URL: '${db.DATABASE_URL}',
          PGSSLMODE: 'disable',
          REDIS_URL: '${redis.REDIS_URL}',
        },
        ...{
          FILE_STORAGE: 'local',
          OIDC_CLIENT_ID: 'outline',
          OIDC_CLIENT_SECRET: secret,
          OIDC_AUTH_URI: '${dex.PUBLIC_URL}/auth',
          OIDC_TOKEN_URI: '${dex.INTERNAL_URL}/token',
        },
      },
    },
    dex: {
      image: 'ghcr.io/dexidp/dex:v2.37.0',
      port: 5556,
      files: {
        '/etc/dex/config.yaml':
          'issuer: https://dex.example.com\nstorage: { type: memory }\nweb: { http: 0.0.0.0:5556 }\n',
      },
      more: { command: ['dex', 'serve', '/etc/dex/config.yaml'] },
    },
  }),
  app('PocketBase', 'pocketbase', {
    app: {
      image: 'adrianmusante/pocketbase:0.26',
      port: 8090,
      volumes: { data: '/pocketbase' },
      env: { POCKETBASE_ADMIN_PASSWORD: secret, POCKETBASE_PORT_NUMBER: '8090' },
    },
  }),
  app('Rocket.Chat', 'rocketchat', {
    db: { engine: 'mongodb' },
    app: {
      image: 'registry.rocket.chat/rocketchat/rocket.chat:8.0.1',
      port: 3000,
      env: { MONGO_URL: '${db.MONGODB_URL}', ROOT_URL: site },
    },
  }),
  app('Typesense', 'typesense', {
    app: {
      image: 'typesense/typesense:29.0',
      port: 8108,
      volumes: { data: '/data' },
      env: { TYPESENSE_API_KEY: secret, TYPESENSE_DATA_DIR: '/data' },
      more: { healthCheckPath: '/health' },
    },
  }),
];
