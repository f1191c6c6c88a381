/** For each route with a body: accepted bodies, and the way to read the stored values. */
import { inject } from 'vitest';
import { alertRules } from '../../../worker/domain/alerts/alerts.ts';
import type { Dependencies } from '../../../worker/usecases/dependencies.ts';
import type {} from '../servers/s3-provided.ts';
import { testFacts } from '../test-facts.ts';
import { type Client, deps, type Json } from './api.ts';
import type { Ids } from './every-kind.ts';
import { exampleCertificate } from './example-certificate.ts';

export interface BodyCase {
  /** Together they contain every field of the schema. */
  bodies(ids: Ids): Json[];
  /** The part of the next GET that shows the sent values, under the names of the body; absent if nothing is returned. */
  shown?(ask: Ask, ids: Ids, asked: { sent: Json; reply: Json }): Promise<Json>;
}

/** The body of an answer. */
export type Ask = (method: string, path: string) => Promise<Json>;

/** Uses the token that the path needs. @throws Error if the status is not 200 */
export const askWith =
  (call: Client, token: string, operatorToken: string): Ask =>
  async (method, path) => {
    const reply = await call(method, path, {
      token: path.startsWith('/api/system/') ? operatorToken : token,
    });
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.text}`);
    return reply.body;
  };

const trustRules = {
  ...{ audience: 'https://longshore.test', repositoryId: '456789', ownerId: '123456' },
  ...{ branches: ['main'], tags: ['v*'], environment: 'production', events: ['push'] },
  ...{ access: 'write', expiresInMinutes: 15 },
};

const ofService = {
  branch: 'main',
  rootDir: 'app',
  installCommand: 'npm ci',
  buildCommand: 'npm run build',
  startCommand: 'npm start',
  staticOutput: null,
  buildMethod: 'auto',
  dockerfilePath: 'Dockerfile',
  runtimeMode: 'web',
  internalPort: 3000,
  databasePublicEnabled: false,
  databasePublicHostname: 'db.localhost',
  postgresLogicalReplicationEnabled: false,
  gitToken: 'token',
  healthCheckPath: '/health',
  replicas: 1,
  sleepAfterMinutes: null,
  memoryLimitMb: 64,
  cpuLimit: 0.5,
  protected: true,
};
const ofApp = {
  releaseCommand: 'npm run migrate',
  variableNames: [{ key: 'A', name: 'a.b' }],
  protocol: 'h2c',
  healthCheckHost: 'shop.example.com',
  healthCheckIntervalSeconds: 1,
  healthCheckTimeoutSeconds: 10,
  healthCheckStartPeriodSeconds: 300,
  drainSeconds: 60,
  stopGraceSeconds: 20,
  stopSignal: 'SIGINT',
};
/** For a passkey: each answer to a challenge is different. */
const credential = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' };
/** The generated name of a service that a test has inserted. */
const named = ({ serviceId }: Ids) => ({ domains: [`${serviceId.replace('_', '-')}.localhost`] });
const env = [{ key: 'A', value: 'x', secret: true, scope: 'run' }];
const alertRule = { name: 'Busy', comparison: 'above', threshold: 80, forSeconds: 60, enabled: true };
/** The table of fields calls an entry of a record `member`. */
const toUrl = { url: 'https://logs.example.com/in', headers: { member: 'Bearer x' } };
const toSyslog = {
  ...{ host: 'logs.example.com', port: 6514, tls: true },
  ca: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
};
const drainBodies = () =>
  Object.entries({ http: toUrl, otlp: toUrl, syslog: toSyslog }).map(([kind, receiver]) => ({
    ...{ name: 'Loki', level: 'warn', enabled: true, [kind]: receiver },
  }));
const defaultAlerts = Object.fromEntries(alertRules.map((rule) => [rule, true]));
const git = {
  ...ofService,
  ...ofApp,
  repoFullName: 'owner/repo',
  repoUrl: 'https://github.com/owner/repo',
  watchPaths: ['apps/web/'],
  // True needs a credential of the git host.
  waitForChecks: false,
  buildTarget: 'production',
};
const ofContainer = { command: ['npm', 'start'], entrypoint: ['sh'], user: 'node', shmSizeMb: 64 };
const image = {
  ...ofService,
  ...ofApp,
  ...ofContainer,
  ...{ repoUrl: 'container-image', imageRef: 'web:1', imageUpdates: 'sun 03:00-05:00 Europe/Berlin' },
};
const database = {
  ...ofService,
  startCommand: null,
  engineSettings: { maxmemory: '32MB', member: null },
  repoUrl: 'database',
  repoFullName: 'database:redis',
  internalPort: 6379,
};
const schedule = {
  cron: '0 3 * * *',
  timeZone: 'Europe/Berlin',
  command: 'npm run report',
  timeLimitSeconds: 60,
  container: 'live',
  overlap: 'wait',
  enabled: false,
};
const receivers = {
  slack: { url: 'https://hooks.slack.com/services/x' },
  discord: { url: 'https://discord.com/api/webhooks/x' },
  telegram: { botToken: '1:x', chatId: '-1' },
  teams: { url: 'https://example.com/workflows/x' },
  email: { provider: 'resend', apiKey: 'x', from: 'ops@example.com', to: ['ada@example.com'] },
  smtp: {
    ...{ host: 'smtp.example.com', port: 587, security: 'starttls' as const, username: 'ops', password: 'x' },
    ...{ from: 'ops@example.com', to: ['ada@example.com'] },
  },
};
const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
const inAnHour = () => new Date(deps.now() + 3_600_000).toISOString();
const publicKey = 'A'.repeat(43);
const tenantLimits = {
  containerMemoryMb: 512,
  containerCpus: 1.5,
  containerPids: 500,
  containerOpenFiles: 4096,
  containerDiskMb: 1024,
  buildMinutesPerDay: 60,
  buildLogBytesPerDay: 1_000_000,
  logReadersPerKey: 10,
};
const counted = {
  projects: 5,
  services: 5,
  domains: 5,
  volumes: 5,
  concurrentBuilds: 5,
  memoryMb: 5,
  backupBytes: 5,
  logBytes: 5,
  diskMb: 5,
  keptDeletions: 5,
  keptDeletionBytes: 5,
};
const quotas = { ...counted, ...tenantLimits };
const settings = {
  rootDomain: 'apps.example.com',
  publicIp: '203.0.113.7',
  readKeysSee: 'all',
  keepDeletedHours: 72,
  defaultAiProviderId: null,
  allowPrivateAiProviders: false,
  eventWebhook: {
    url: 'https://hooks.example.com/longshore?to=ops',
    secret: `whsec_${btoa('x'.repeat(24))}`,
  },
  allowPrivateEventWebhook: false,
  allowPrivateSignInProviders: false,
  backupBucket: null,
  allowPrivateBackupBucket: true,
  readsPerMinute: 1_000_000,
  writesPerMinute: 1_000_000,
  failedSignInsPerMinute: 1_000_000,
  auditDays: 90,
  logDays: 30,
  logArchiveDays: 365,
  objectRequestsPerDay: 100_000,
  retention: { deploymentDays: 90, deploymentsPerService: 50, jobDays: 30, eventDays: 30 },
  tenantLimits,
  hostUpgrades: { from: '02:00', to: '05:00', timeZone: 'UTC', days: ['sun'] },
  keepDumps: 7,
  corsOrigins: ['https://app.example.com'],
};

/** Settings of the tests' S3 server. */
function testBucket() {
  const { logUrl: _, ...address } = inject('s3');
  return { ...address, region: 'us-east-1', prefix: 'body-cases/', pathStyle: true };
}

/** Makes hostile texts for its endpoint harmless: no other server than that one is called. */
export const tryTestBucket: Dependencies['tryBucket'] = async (bucket) =>
  bucket.endpoint === inject('s3').endpoint
    ? deps.tryBucket(bucket)
    : { field: 'endpoint', why: 'the tests ask nobody there' };

let count = 0;
const unique = (prefix: string) => `${prefix}-${++count}`;

const byId = (list: Json[], id: string) => list.find((one) => one.id === id);
const overview = (ask: Ask, id: string) => ask('GET', `/api/services/${id}/overview`);
const shownService = async (ask: Ask, id: string) => {
  const { service, env } = await overview(ask, id);
  return { ...service, env };
};
const shownDomain: BodyCase['shown'] = async (ask, { serviceId, domainId }, { sent }) => {
  const { domains } = await overview(ask, serviceId);
  const hostname = asciiOf(sent.hostname);
  return domains.find((one: Json) => one.hostname === hostname) ?? byId(domains, domainId);
};

const shownMember = async (_: Ask, __: Ids, { reply }: { reply: Json }) => reply.member;
const invitation: BodyCase = {
  bodies: ({ projectId }) =>
    ['all', [projectId]].map((projects) => ({
      ...{ email: `${unique('ada')}@example.com`, name: 'Ada', role: 'viewer', projects },
      projectRoles: projects === 'all' ? [] : [{ projectId, role: 'developer' as const }],
    })),
  shown: shownMember,
};
const changedMember: BodyCase = {
  bodies: ({ projectId }) =>
    [[projectId], 'all'].map((projects) => ({
      ...{ name: 'Ada', role: 'deployer', projects },
      projectRoles: projects === 'all' ? [] : [{ projectId, role: 'viewer' as const }],
    })),
  shown: shownMember,
};
/** Host names are lower-cased and in their IDNA form. */
export const asciiOf = (hostname: string) => new URL(`http://${hostname}`).hostname;

export const bodyCases: Record<string, BodyCase> = {
  'POST /api/projects': {
    bodies: () => [{ name: 'Shop', description: 'Sells' }],
    shown: async (ask, _, { reply }) => (await ask('GET', `/api/projects/${reply.project.slug}`)).project,
  },
  'PATCH /api/projects/:projectId': {
    bodies: () => [{ name: 'Shop', description: 'Sells' }],
    shown: async (ask, { projectId }) => (await ask('GET', `/api/projects/${projectId}`)).project,
  },
  'POST /api/projects/:projectId/services': {
    bodies: ({ runnerId }) => [git, image, database].map((one) => ({ name: 'Web', runnerId, env, ...one })),
    shown: async (ask, _, { reply }) => shownService(ask, reply.service.id),
  },
  'POST /api/projects/:projectId/source-plans': {
    bodies: ({ runnerId }) => [
      { source: 'https://github.com/acme/shop', branch: 'main', rootDir: 'app', gitToken: 'token', runnerId },
      { files: { paths: ['package.json'], texts: [{ path: 'package.json', text: '{}' }] } },
    ],
  },
  'PATCH /api/services/:serviceId': {
    bodies: ({ runnerId }) => [
      { name: 'Web', runnerId, ...git },
      { ...ofService, imageRef: null, engineSettings: { member: null } },
      { ...ofContainer, imageUpdates: null },
    ],
    shown: (ask, { serviceId }) => shownService(ask, serviceId),
  },
  'POST /api/keys': {
    bodies: ({ projectId }) => [
      ...[[projectId], 'all'].map((projects) => ({
        ...{ name: 'ci', access: 'read', projects, expiresInMinutes: 5 },
      })),
      { name: 'ci', access: 'read', projects: 'all', expiresInDays: 5 },
    ],
    shown: async (_, __, { reply }) => ({ ...reply.key, expiresInMinutes: 5 }),
  },
  'POST /api/members': invitation,
  'PATCH /api/members/:memberId': changedMember,
  // Projects of that tenant, which has none.
  'POST /api/system/tenants/:tenantId/members': invitation,
  'PATCH /api/system/members/:memberId': changedMember,
  'POST /api/sessions': { bodies: () => [{ name: 'Browser' }] },
  'POST /api/system/sessions': { bodies: () => [{ name: 'Browser' }] },
  'POST /api/registries': {
    bodies: () => [{ host: `${unique('registry')}.example.com:5000`, username: 'ada', password: 'hunter2' }],
  },
  'PATCH /api/registries/:registryId': {
    bodies: () => [{ username: 'ada', password: 'hunter2' }],
    shown: async (ask, { registryId }) => byId((await ask('GET', '/api/registries')).registries, registryId),
  },
  'POST /api/git-credentials': {
    bodies: ({ projectId }) =>
      [null, projectId].map((id) => ({
        ...{ host: `${unique('git')}.example.com:3000`, username: 'ada', token: 'hunter2' },
        ...{ projectId: id, commitStatus: 'gitea' },
      })),
  },
  'PATCH /api/git-credentials/:gitCredentialId': {
    bodies: () => [{ username: 'ada', token: 'hunter2', commitStatus: null }],
    shown: async (ask, { gitCredentialId }) =>
      byId((await ask('GET', '/api/git-credentials')).gitCredentials, gitCredentialId),
  },
  'POST /api/github-apps': {
    bodies: () =>
      [null, 'acme'].map((organization) => ({
        ...{
          organization,
          host: `${unique('github')}.example.com`,
          deployOnPush: false,
          commitStatus: false,
        },
      })),
  },
  'PATCH /api/github-apps/:githubAppId': {
    bodies: () => [{ deployOnPush: false, commitStatus: false }],
    shown: async (ask, { githubAppId }) =>
      byId((await ask('GET', '/api/github-apps')).githubApps, githubAppId),
  },
  'POST /api/notification-channels': {
    bodies: ({ projectId }) =>
      Object.entries(receivers).map(([kind, receiver]) => ({
        ...{
          name: unique('channel'),
          projectId,
          events: ['*'],
          quietHours,
          enabled: false,
          [kind]: receiver,
        },
      })),
    shown: async (ask, _, { reply }) =>
      byId((await ask('GET', '/api/notification-channels')).channels, reply.channel.id),
  },
  'PATCH /api/notification-channels/:channelId': {
    bodies: () =>
      Object.entries(receivers).map(([kind, receiver]) => ({
        ...{ name: unique('channel'), events: ['*'], quietHours, enabled: false, [kind]: receiver },
      })),
    shown: async (ask, { channelId }) =>
      byId((await ask('GET', '/api/notification-channels')).channels, channelId),
  },
  'POST /api/projects/:projectId/log-drains': { bodies: () => drainBodies() },
  'PATCH /api/log-drains/:logDrainId': {
    bodies: () => drainBodies().map((body) => ('http' in body ? { ...body, newSigningSecret: true } : body)),
  },
  'POST /api/projects/:projectId/trust-policies': {
    bodies: () => [
      {
        ...{ provider: 'gitlab', issuer: 'https://gitlab.example.com', repository: 'octo-org/shop' },
        ...trustRules,
      },
      {
        ...{ provider: 'other', issuer: 'https://ci.example.com', subject: 'org:1/*' },
        ...{ repository: null, branches: [], tags: [], events: [] },
      },
    ],
    shown: async (ask, { projectId }, { reply }) =>
      byId(
        (await ask('GET', `/api/projects/${projectId}/trust-policies`)).trustPolicies,
        reply.trustPolicy.id,
      ),
  },
  'PATCH /api/trust-policies/:trustPolicyId': {
    bodies: () => [trustRules],
    shown: async (ask, { projectId, trustPolicyId }) =>
      byId((await ask('GET', `/api/projects/${projectId}/trust-policies`)).trustPolicies, trustPolicyId),
  },
  'POST /api/keys/exchange': { bodies: () => [{ token: 'e30.e30.AA', project: 'shop' }] },
  'POST /api/projects/:projectId/alert-rules': {
    bodies: ({ serviceId }) => [{ ...alertRule, metric: 'cpuPercent', serviceId }],
  },
  'PATCH /api/alert-rules/:ruleId': {
    bodies: () => [{ ...alertRule, metric: 'errorPercent' }],
  },
  'PATCH /api/projects/:projectId/default-alerts': {
    bodies: () => [defaultAlerts],
  },
  'POST /api/system/alert-rules': {
    bodies: ({ runnerId }) => [{ ...alertRule, metric: 'diskPercent', runnerId }],
  },
  'PATCH /api/system/alert-rules/:hostRuleId': {
    bodies: () => [{ ...alertRule, metric: 'memoryPercent' }],
  },
  'PATCH /api/system/default-alerts': { bodies: () => [defaultAlerts] },
  'PATCH /api/alerts/:alertId': { bodies: () => [{ acknowledged: true, silencedUntil: inAnHour() }] },
  'PATCH /api/system/alerts/:alertId': {
    bodies: () => [{ acknowledged: false, silencedUntil: null }, { silencedUntil: inAnHour() }],
  },
  'POST /api/services/:serviceId/host-port': { bodies: () => [{ port: 45_007 }] },
  'POST /api/services/:serviceId/run': {
    bodies: () => [{ command: 'npm run migrate', timeLimitSeconds: 60, container: 'live' }],
  },
  'POST /api/services/:serviceId/shells': {
    bodies: () => [
      { container: 'live', command: ['ls', '-l'], terminal: { columns: 80, rows: 24, type: 'xterm' } },
    ],
  },
  'POST /api/services/:serviceId/schedules': {
    bodies: () => [{ name: unique('schedule'), ...schedule }],
    shown: async (ask, { serviceId }, { reply }) =>
      (await ask('GET', `/api/services/${serviceId}/schedules/${reply.schedule.id}`)).schedule,
  },
  'PATCH /api/services/:serviceId/schedules/:scheduleId': {
    bodies: () => [{ name: unique('schedule'), ...schedule }],
    shown: async (ask, { serviceId, scheduleId }) =>
      (await ask('GET', `/api/services/${serviceId}/schedules/${scheduleId}`)).schedule,
  },
  'POST /api/services/:serviceId/volumes': {
    bodies: () => {
      const name = unique('volume');
      return [{ name, mountPath: `/srv/${name}`, sizeMb: 64 }];
    },
    shown: async (ask, { serviceId }, { reply }) =>
      byId((await ask('GET', `/api/services/${serviceId}/volumes`)).volumes, reply.volume.id),
  },
  'PATCH /api/services/:serviceId/volumes/:volumeId': {
    bodies: () => {
      const name = unique('volume');
      return [{ name, mountPath: `/srv/${name}`, sizeMb: 64 }];
    },
    shown: async (ask, { serviceId, volumeId }) =>
      byId((await ask('GET', `/api/services/${serviceId}/volumes`)).volumes, volumeId),
  },
  'POST /api/services/:serviceId/volume-backups': {
    bodies: ({ volumeId }) => [
      { volumeId, storage: 'disk', quiesce: 'command', before: 'sync', after: 'true' },
      { volumeId, storage: 'disk', quiesce: 'stop' },
    ],
  },
  'POST /api/services/:serviceId/volume-backups/:backupId/restore': {
    bodies: ({ volumeId }) => [{ targetVolumeId: volumeId }],
  },
  'PATCH /api/services/:serviceId/volume-backups/settings': {
    bodies: () => [
      {
        ...{ storage: 'disk', automaticEnabled: true, dailyEnabled: true, weeklyEnabled: false },
        ...{ monthlyEnabled: false, drill: 'weekly', quiesce: 'command', before: 'sync', after: 'true' },
      },
    ],
  },
  'POST /api/services/:serviceId/move': {
    bodies: ({ runnerId }) => [{ runnerId, dryRun: true }],
  },
  'PUT /api/services/:serviceId/traffic-rules': {
    bodies: (ids) => [
      {
        redirects: [
          { ...named(ids), fromPath: '/old', match: 'prefix', to: '/new', permanent: true, keepPath: true },
        ],
        basicAuth: {
          ...named(ids),
          users: [{ user: 'team', password: 'twelve letters' }],
          openPaths: ['/hook'],
        },
        maintenance: { ...named(ids), retryAfterSeconds: 60, allowedAddresses: ['192.0.2.1'] },
        requestHeaders: [{ change: 'add', header: 'X-Debug', content: '1' }],
        responseHeaders: [{ change: 'set', header: 'X-Frame-Options', content: 'DENY' }],
        maxBodyMegabytes: 10,
        firstByteTimeoutSeconds: 30,
        idleTimeoutSeconds: 60,
        accessLog: { sample: 0.5 },
      },
    ],
  },
  'PUT /api/services/:serviceId/files': {
    bodies: () => [{ path: `/etc/${unique('file')}`, content: 'x', secret: false, mode: '0400' }],
    shown: async (ask, { serviceId }, { sent }) =>
      (await ask('GET', `/api/services/${serviceId}/files`)).files.find(
        (one: Json) => one.path === sent.path,
      ),
  },
  'POST /api/services/:serviceId/transfer': { bodies: ({ projectId }) => [{ targetProjectId: projectId }] },
  'POST /api/services/:serviceId/env/bulk': { bodies: () => [{ text: 'A=x' }, { env }] },
  'POST /api/services/:serviceId/env': {
    bodies: () => env,
    shown: async (ask, { serviceId }, { sent }) =>
      (await overview(ask, serviceId)).env.find((one: Json) => one.key === sent.key),
  },
  'POST /api/services/:serviceId/domains': {
    bodies: () => [{ hostname: `${unique('name')}.example.com` }],
    shown: shownDomain,
  },
  'PATCH /api/services/:serviceId/domains/:domainId': {
    bodies: () => [{ hostname: `${unique('name')}.example.com` }],
    shown: shownDomain,
  },
  'PUT /api/services/:serviceId/domains/:domainId/certificate': {
    // The right certificate depends on the name: test/worker/api/domains/own-certificates.test.ts.
    bodies: () => [{ certificate: exampleCertificate, privateKey: 'x' }],
  },
  'POST /api/services/:serviceId/domains/:domainId/dns-records': {
    bodies: () => [{ providerId: 'namecheap', replace: true }],
  },
  'POST /api/deployments/:deploymentId/explain-failure': {
    bodies: () => [{ providerId: 'builtin' }, { model: 'm' }, { tool: 'longshore' }],
  },
  'POST /api/services/:serviceId/explain-crash': {
    bodies: () => [{ providerId: 'builtin' }, { model: 'm' }, { tool: 'longshore' }],
  },
  'POST /api/services/:serviceId/runs/:runId/explain-failure': {
    bodies: () => [{ providerId: 'builtin' }, { model: 'm' }, { tool: 'longshore' }],
  },
  'POST /api/services/:serviceId/database/query': { bodies: () => [{ sql: 'PING', database: 0 }] },
  'POST /api/services/:serviceId/database/rows': {
    bodies: () => [{ table: '0:a', values: { member: 'x' } }],
  },
  'PATCH /api/services/:serviceId/database/rows': {
    bodies: () => [{ table: '0:a', primaryKey: { member: 'x' }, values: { member: 'x' } }],
  },
  'DELETE /api/services/:serviceId/database/rows': {
    bodies: () => [{ table: '0:a', primaryKey: { member: 'x' } }],
  },
  'POST /api/services/:serviceId/database/backups': { bodies: () => [{ storage: 'disk' }] },
  'PATCH /api/services/:serviceId/database/backups/settings': {
    bodies: () => [
      {
        storage: 'disk',
        automaticEnabled: true,
        dailyEnabled: true,
        weeklyEnabled: false,
        monthlyEnabled: false,
        drill: 'weekly',
      },
    ],
  },
  'POST /api/services/:serviceId/database/backups/:backupId/restore': {
    bodies: ({ serviceId }) => [{ targetServiceId: serviceId }],
  },
  'POST /api/services/:serviceId/database/upgrade': {
    bodies: () => [{ imageRef: 'redis:9', dryRun: true, acceptNotKept: true }],
  },
  'POST /api/services/:serviceId/database/import/postgres-url': {
    bodies: () => [
      { sourceUrl: 'postgres://app:secret@db.example.com/shop', replace: true, continueOnError: true },
    ],
  },
  'POST /api/services/:serviceId/database/import/redis-url': {
    bodies: () => [{ sourceUrl: 'rediss://app:secret@db.example.com/0', replace: true }],
  },
  'POST /api/services/:serviceId/database/import/mysql-url': {
    bodies: () => [{ sourceUrl: 'mysql://app:secret@db.example.com/shop', replace: true }],
  },
  'POST /api/services/:serviceId/database/import/mongodb-url': {
    bodies: () => [{ sourceUrl: 'mongodb://app:secret@db.example.com/shop', replace: true }],
  },
  'POST /api/services/:serviceId/database/import/clickhouse-url': {
    bodies: () => [{ sourceUrl: 'https://app:secret@db.example.com/shop', replace: true }],
  },
  'POST /api/services/:serviceId/database/import/file': {
    bodies: ({ uploadId }) => [{ uploadId, replace: true, continueOnError: true }],
  },
  'POST /api/services/:serviceId/database/uploads': {
    bodies: () => [{ sizeBytes: 1_000, checksum: `sha256:${'0a'.repeat(32)}` }],
  },
  'POST /api/services/:serviceId/uploads': {
    bodies: () => [{ sizeBytes: 1_000, checksum: `sha256:${'0a'.repeat(32)}` }],
  },
  'POST /api/services/:serviceId/deployments': {
    bodies: ({ uploadId }) => [
      { uploadId, commitSha: '9b2c1f0e4d6a8b7c5d3e1f2a4b6c8d0e1f3a5b7c', commitMessage: 'Fix the cart' },
      { ref: 'v1.4.0' },
    ],
  },
  'POST /api/system/keys': {
    bodies: ({ projectId }) => [
      { name: 'Key', access: 'read', projects: 'all', expiresInDays: 1, tenantId: 'default' },
      { name: 'Key', access: 'read', projects: [projectId], expiresInMinutes: 15 },
    ],
    shown: async (ask, _, { reply }) => byId((await ask('GET', '/api/system/keys')).keys, reply.key.id),
  },
  'POST /api/system/keys/:keyId/rotate': { bodies: () => [{ immediately: false }] },
  'POST /api/system/runners': { bodies: () => [{ name: 'host', tenantId: 'default', shared: true }] },
  'PATCH /api/system/runners/:runnerId': {
    bodies: () => [{ name: 'host', drained: false, tenantId: 'default', shared: true, trustedRunc: '1.3.3' }],
    shown: async (ask, { runnerId }) => byId((await ask('GET', '/api/system/runners')).runners, runnerId),
  },
  'POST /api/system/ai-providers': {
    bodies: () => {
      const common = () => ({ id: unique('ai'), defaultModel: 'm', enabled: false, apiKey: 'key' });
      const baseUrl = 'https://llm.example/v1';
      return [
        { ...common(), kind: 'openai-compatible', baseUrl },
        { ...common(), kind: 'anthropic', baseUrl },
        { ...common(), kind: 'workers-ai', accountId: '0'.repeat(32) },
      ];
    },
    shown: async (ask, _, { sent }) =>
      byId((await ask('GET', '/api/system/ai-providers')).providers, sent.id),
  },
  'PATCH /api/system/ai-providers/:aiProviderId': {
    bodies: () => [{ baseUrl: 'https://llm.example/v1', apiKey: 'key', defaultModel: 'm', enabled: false }],
    shown: async (ask, { aiProviderId }) =>
      byId((await ask('GET', '/api/system/ai-providers')).providers, aiProviderId),
  },
  'POST /api/system/identity-providers': {
    bodies: ({ projectId }) => {
      const own = () => ({
        id: unique('idp'),
        name: 'Login',
        tenantId: 'default',
        enabled: false,
        ownCallback: false,
      });
      const common = () => ({ ...own(), emailDomains: ['example.com'], trustsEmail: true });
      const newMembers = (projects: Json) => ({ role: 'viewer', projects });
      const oidc = {
        kind: 'oidc',
        issuer: 'https://login.example',
        clientId: 'longshore',
        clientSecret: 'x',
      };
      const team = {
        kind: 'cloudflare-access',
        issuer: 'https://team.cloudflareaccess.com',
        clientId: 'aud',
      };
      return [
        { ...common(), ...oidc, newMembers: newMembers('all') },
        { ...common(), ...team, clientSecret: null, newMembers: newMembers([projectId]) },
      ];
    },
    shown: async (ask, _, { sent }) =>
      byId((await ask('GET', '/api/system/identity-providers')).providers, sent.id),
  },
  'PATCH /api/system/identity-providers/:identityProviderId': {
    bodies: ({ projectId }) => [
      {
        ...{ name: 'Login', issuer: 'https://login.example/b', clientId: 'longshore', clientSecret: 'x' },
        ...{ emailDomains: ['example.com'], trustsEmail: true, enabled: false },
        ownCallback: true,
        newMembers: { role: 'deployer', projects: [projectId] },
      },
    ],
    shown: async (ask, { identityProviderId }) =>
      byId((await ask('GET', '/api/system/identity-providers')).providers, identityProviderId),
  },
  'POST /api/sign-in/device': { bodies: () => [{ name: 'ada-laptop', version: '0.3.0' }] },
  'POST /api/sign-in/device/exchange': { bodies: () => [{ deviceToken: 'x' }] },
  'POST /api/sign-in/device/find': { bodies: () => [{ userCode: 'WDJB-MJHT' }] },
  'POST /api/sign-in/device/allow': { bodies: () => [{ userCode: 'WDJB-MJHT' }] },
  'POST /api/sign-in/device/deny': { bodies: () => [{ userCode: 'WDJB-MJHT' }] },
  'POST /api/sign-in/oidc': { bodies: () => [{ providerId: 'absent' }] },
  'POST /api/sign-in/oidc/finish': {
    bodies: () => [{ proof: 'x', response: 'code=x', callback: '/sign-in/callback/x' }],
  },
  'POST /api/identities/attempts': { bodies: () => [{ providerId: 'absent' }] },
  'POST /api/identities/access': { bodies: () => [{ providerId: 'absent' }] },
  'POST /api/identities': {
    bodies: () => [{ proof: 'x', response: 'code=x', callback: '/sign-in/callback/x' }],
  },
  'POST /api/sign-in/passkey/finish': {
    bodies: () => [
      {
        credential: {
          ...credential,
          response: {
            clientDataJSON: 'e30',
            authenticatorData: 'AAAA',
            signature: 'AAAA',
            userHandle: 'AAAA',
          },
        },
      },
    ],
  },
  'POST /api/passkeys': {
    bodies: () => [
      {
        name: 'Laptop',
        credential: {
          ...credential,
          response: { clientDataJSON: 'e30', attestationObject: 'AAAA', transports: ['internal'] },
        },
      },
    ],
  },
  'PATCH /api/passkeys/:passkeyId': { bodies: () => [{ name: 'Laptop' }] },
  'POST /api/sign-in/access': { bodies: () => [{ providerId: 'absent' }] },
  'POST /api/system/tenants': {
    bodies: () => [{ name: unique('Tenant'), quotas }],
    shown: async (ask, _, { reply }) =>
      byId((await ask('GET', '/api/system/tenants')).tenants, reply.tenant.id),
  },
  'PATCH /api/system/tenants/:tenantId': {
    bodies: () => [{ name: unique('Tenant'), quotas }],
    shown: async (ask, { tenantId }) => byId((await ask('GET', '/api/system/tenants')).tenants, tenantId),
  },
  'PATCH /api/system/services/:serviceId': { bodies: () => [{ protected: false }] },
  'POST /api/system/strays/remove': {
    bodies: ({ runnerId, serviceId }) => [{ runnerId, serviceId, data: false }],
  },
  'PATCH /api/system/settings': {
    bodies: () => [settings, { backupBucket: testBucket(), leaveBackupCopies: true }],
    shown: async (ask) => (await ask('GET', '/api/system/settings')).settings,
  },
  'POST /api/system/dns-providers': {
    bodies: ({ runnerId }) => [
      { id: 'cloudflare', credentials: { apiToken: 'token' }, verify: false },
      {
        id: 'namecheap',
        credentials: {
          apiUser: 'user',
          apiKey: 'key',
          userName: 'user',
          runnerId,
          clientIp: '203.0.113.7',
        },
        verify: false,
      },
      { id: 'spaceship', credentials: { apiKey: 'key', apiSecret: 'secret' }, verify: false },
    ],
  },
  'PATCH /api/system/dns-providers/:providerId': {
    bodies: () => [{ credentials: { member: 'token' }, verify: false }],
  },
  'POST /api/runner/backup-copy/completion': {
    bodies: () => [{ job: 'job_0000000000000000', upload: 'none', etags: ['none'] }],
  },
  'POST /api/runner/enrol': {
    bodies: () => [
      {
        token: 'none',
        name: 'host',
        identityKey: publicKey,
        sealingKey: publicKey,
        facts: {
          ...testFacts,
          appArmor: true,
          lastUpgrade: { version: '0.2.0', ok: true, detail: 'runs', at: 1 },
          busyPorts: [45_003],
          foreignPorts: [41_000],
        },
      },
    ],
  },
};
