/** One resource of every kind that can occur in a path, for tests that are generated from the route list. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { newId } from '../../../protocol/ids.ts';
import { newTrustPolicySchema } from '../../../worker/domain/access/trust/trust-policies.ts';
import type { AnyRoute } from '../../../worker/http/route.ts';
import {
  backupIdentityPlace,
  channelConfigPlace,
  clientSecretPlace,
  gitCredentialPlace,
  logDrainTargetPlace,
  ownCertificatePlace,
  registryPasswordPlace,
  serviceFilesPlace,
  variablePlace,
} from '../../../worker/security/secret-places.ts';
import { identities, identityProviders, passkeys } from '../../../worker/store/schema/api-keys.ts';
import { backups } from '../../../worker/store/schema/backups.ts';
import { createTrustPolicy } from '../../../worker/usecases/access/trust-policies.ts';
import { keepDeletedBackup } from '../../../worker/usecases/backups/keep-deleted-backup.ts';
import { deleteProject } from '../../../worker/usecases/projects/delete-project.ts';
import { sealInstanceSecret } from '../../../worker/usecases/seal-instance-secret.ts';
import { deleteService } from '../../../worker/usecases/services/delete-service.ts';
import { deleteVolume } from '../../../worker/usecases/volumes/delete-volume.ts';
import {
  type Client,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  operatorToken,
} from './api.ts';
import { insertDeploymentOf } from './deployment-rows.ts';
import { insertMember } from './members.ts';

const trusted = newTrustPolicySchema.parse({
  ...{
    provider: 'github',
    repository: 'octo-org/shop',
    audience: 'https://longshore.test',
    branches: ['main'],
  },
});

/** A value for each `:param` of the route list. */
export interface Ids {
  projectId: string;
  projectSlug: string;
  serviceId: string;
  deploymentId: string;
  envId: string;
  domainId: string;
  backupId: string;
  importId: string;
  uploadId: string;
  runId: string;
  scheduleId: string;
  volumeId: string;
  backupKeyId: string;
  registryId: string;
  gitCredentialId: string;
  githubAppId: string;
  channelId: string;
  alertId: string;
  ruleId: string;
  logDrainId: string;
  trustPolicyId: string;
  hostRuleId: string;
  runnerId: string;
  keyId: string;
  sessionId: string;
  memberId: string;
  passkeyId: string;
  identityId: string;
  tenantId: string;
  /** Id of a deleted thing in another tenant. */
  resourceId: string;
  aiProviderId: string;
  identityProviderId: string;
  providerId: string;
}

/** Ids that do not exist. */
export const absentIds: Ids = {
  projectId: 'prj_absent',
  projectSlug: 'absent',
  serviceId: 'svc_absent',
  deploymentId: 'dep_absent',
  envId: 'env_absent',
  domainId: 'dom_absent',
  backupId: 'bak_absent',
  importId: 'imp_absent',
  uploadId: 'upl_absent',
  runId: 'cmd_absent',
  scheduleId: 'sch_absent',
  volumeId: 'vol_absent',
  backupKeyId: 'bky_absent',
  registryId: 'reg_absent',
  gitCredentialId: 'gcr_absent',
  githubAppId: 'gha_absent',
  channelId: 'nch_absent',
  alertId: 'alt_absent',
  ruleId: 'alr_absent',
  logDrainId: 'drn_absent',
  trustPolicyId: 'tru_absent',
  hostRuleId: 'alr_absent_host',
  runnerId: 'run_absent',
  keyId: 'key_absent',
  sessionId: 'key_absent_session',
  memberId: 'mem_absent',
  passkeyId: 'pky_absent',
  identityId: 'idn_absent',
  tenantId: 'ten_absent',
  resourceId: 'res_absent',
  aiProviderId: 'absent',
  identityProviderId: 'absent',
  providerId: 'absent',
};

/** Names of the parameters in a route's path, in order. */
export const parametersOf = ({ path }: AnyRoute) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as keyof Ids);

/** Deleted resources, inserted in addition to those of `Ids`, for routes about deleted resources; keys are `deleted <kind> <id>`. */
const deletedBeside = new Map<string, string>();

/** The query of a route that needs one: the mounted file of the service, an expression. */
const queries: Record<string, string> = {
  'DELETE /api/services/:serviceId/files': '?path=/kept',
  'GET /api/schedule-preview': '?cron=0+3+*+*+*',
};
const keptFile = { path: '/kept', content: '', secret: false, mode: '0444', updatedAt: 0 };

/** @throws Error for a parameter without a value here: add new kinds of resources to `insertEveryKind`. */
export function pathOf({ method, path, resource }: AnyRoute, ids: Ids): string {
  const filled = path.replace(/:(\w+)/g, (_, name: keyof Ids) => {
    const id = deletedBeside.get(`${resource?.name} ${ids[name]}`) ?? ids[name];
    if (id === undefined) throw new Error(`There is no :${name} in insertEveryKind().`);
    return encodeURIComponent(id);
  });
  return filled + (queries[`${method} ${path}`] ?? '');
}

let count = 0;

const insertOneVolume =
  'insert into volumes (id, service_id, name, mount_path, created_at, updated_at) values (?, ?, ?, ?, 0, 0)';

/**
 * A project with a service that has a failed deployment, a variable and a domain; a separate host, key, tenant and AI provider;
 * and the DNS provider `cloudflare`, which all share. There is also a deleted project, service, backup and volume.
 */
export async function insertEveryKind(
  call: Client,
  place: { projectId?: string; tenantId?: string } = {},
): Promise<Ids> {
  count += 1;
  const project = place.projectId
    ? { id: place.projectId, slug: place.projectId }
    : await insertProject({ tenantId: place.tenantId ?? 'default' });
  const runner = await insertRunner({ shared: true });
  const service = await insertService({ projectId: project.id, runnerId: runner.id });
  const ended = { status: 'failed', finishedAt: deps.now() } as const;
  const { deployment } = await insertDeploymentOf(service.id, {
    job: { state: 'failed' },
    deployment: ended,
  });
  const [envId, domainId] = [newId('variable', deps.fillRandom), newId('domain', deps.fillRandom)];
  const backupId = newId('backup', deps.fillRandom);
  const importId = newId('import', deps.fillRandom);
  const uploadId = newId('upload', deps.fillRandom);
  const runId = newId('run', deps.fillRandom);
  const scheduleId = newId('schedule', deps.fillRandom);
  const volumeId = newId('volume', deps.fillRandom);
  const backupKeyId = newId('backupKey', deps.fillRandom);
  const registryId = newId('registry', deps.fillRandom);
  const gitCredentialId = newId('gitCredential', deps.fillRandom);
  const githubAppId = newId('gitHubApp', deps.fillRandom);
  const channelId = newId('notificationChannel', deps.fillRandom);
  const alertId = newId('alert', deps.fillRandom);
  const [ruleId, hostRuleId] = [newId('alertRule', deps.fillRandom), newId('alertRule', deps.fillRandom)];
  const logDrainId = newId('logDrain', deps.fillRandom);
  const { tenantId: ownerId = 'default' } = place;
  const { policy } = await createTrustPolicy(deps, { id: project.id, tenantId: ownerId }, trusted, '');
  const wrapped = env.DB.prepare('select wrapped_data_key as key from projects where id = ?').bind(
    project.id,
  );
  const { key: dataKey } = (await wrapped.first<{ key: string }>()) ?? { key: '' };
  const value = await deps.envelope.seal(dataKey, project.id, variablePlace(envId), 'x');
  const files = JSON.stringify([keptFile]);
  const sealedFiles = await deps.envelope.seal(dataKey, project.id, serviceFilesPlace(service.id), files);
  const statements: [string, ...string[]][] = [
    [
      `insert into variables (id, service_id, key, sealed_value, created_at, updated_at) values (?, ?, 'A', ?, 0, 0)`,
      envId,
      service.id,
      value,
    ],
    [
      `insert into domains (id, service_id, hostname, status, created_at, updated_at) values (?, ?, ?, 'pending', 0, 0)`,
      domainId,
      service.id,
      `every-kind-${count}.example.com`,
    ],
    [
      `insert into backups (id, service_id, engine, status, trigger, storage, format, size_bytes, checksum, created_at, started_at)
        values (?, ?, 'redis', 'failed', 'manual', 'disk', 'rdb', 0, '', 0, 0)`,
      backupId,
      service.id,
    ],
    [
      `insert into imports (id, service_id, engine, source, source_label, status, created_at, started_at)
        values (?, ?, 'redis', 'redis-url', 'db.example.com/0', 'failed', 0, 0)`,
      importId,
      service.id,
    ],
    [
      `insert into uploads (id, service_id, blob_id, size_bytes, checksum, created_at, expires_at) values (?, ?, '', 1, 'sha256:${'0'.repeat(64)}', 0, ${Date.UTC(9999, 0)})`,
      uploadId,
      service.id,
    ],
    [
      `insert into runs (id, service_id, job_id, command, time_limit_seconds, status, created_at, finished_at)
        values (?, ?, ?, 'true', 1, 'failed', 0, 0)`,
      runId,
      service.id,
      deployment.jobId,
    ],
    [
      `insert into schedules (id, service_id, name, cron, time_zone, command, time_limit_seconds, overlap, enabled, created_at, updated_at)
        values (?, ?, 'nightly', '0 3 * * *', 'UTC', 'true', 1, 'skip', 0, 0, 0)`,
      scheduleId,
      service.id,
    ],
    ['insert into service_files values (?, ?, 0)', service.id, sealedFiles],
    [
      `insert into own_certificates (domain_id, service_id, hostname, facts, sealed_certificate, boxes, updated_at)
        select id, service_id, 'renamed.example.com', '{}', ?, '{}', 0 from domains where id = ?`,
      await deps.envelope.sealForInstance(ownCertificatePlace(domainId), '{}'),
      domainId,
    ],
    [insertOneVolume, volumeId, service.id, 'kept', '/kept'],
    [
      `insert into registries (id, tenant_id, host, username, sealed_password, created_at, updated_at) values (?, ?, ?, 'ada', ?, 0, 0)`,
      registryId,
      ownerId,
      `${registryId}.example.com`,
      await deps.envelope.sealForInstance(registryPasswordPlace(registryId), 'hunter2'),
    ],
    [
      `insert into git_credentials (id, tenant_id, project_id, host, username, sealed_token, created_at, updated_at) values (?, ?, ?, ?, 'ada', ?, 0, 0)`,
      gitCredentialId,
      ownerId,
      project.id,
      `${gitCredentialId}.example.com`.replace('_', '-'),
      await deps.envelope.sealForInstance(gitCredentialPlace(gitCredentialId), 'hunter2'),
    ],
    [
      // Not registered, because a registered app would call GitHub.
      `insert into github_apps (id, tenant_id, host, deploy_on_push, commit_status, created_at, updated_at) values (?, ?, ?, 1, 1, 0, 0)`,
      githubAppId,
      ownerId,
      `${githubAppId}.example.com`.replace('_', '-'),
    ],
    [
      `insert into notification_channels (id, tenant_id, name, kind, target, sealed_config, events, enabled, created_at, updated_at)
        values (?, ?, ?, 'slack', 'hooks.slack.com', ?, '["*"]', 0, 0, 0)`,
      channelId,
      ownerId,
      channelId,
      await deps.envelope.sealForInstance(channelConfigPlace(channelId), '{}'),
    ],
    [
      `insert into alerts (id, rule, subject_id, tenant_id, project_id, service_id, runner_id, name, detail, end_event_id, is_told, raised_at)
        values (?, 'memory', ?, ?, ?, ?, ?, 'web', 'It is full.', ?, 1, 0)`,
      alertId,
      service.id,
      ownerId,
      project.id,
      service.id,
      runner.id,
      alertId.replace('alt_', 'evt_'),
    ],
    [
      `insert into log_drains (id, project_id, name, kind, target, sealed_target, level, enabled, created_at, updated_at)
        values (?, ?, 'Loki', 'syslog', 'syslog://203.0.113.7:514', ?, null, 1, 0, 0)`,
      logDrainId,
      project.id,
      await deps.envelope.sealForInstance(
        logDrainTargetPlace(logDrainId),
        '{"kind":"syslog","host":"203.0.113.7","port":514,"tls":false,"ca":null}',
      ),
    ],
    ...[
      [ruleId, project.id],
      [hostRuleId, ''],
    ].map(([id = '', of = '']): [string, ...string[]] => [
      `insert into alert_rules (id, project_id, service_id, runner_id, name, metric, comparison, threshold, for_seconds, enabled, created_at, updated_at)
        values (?, ?, '', '', 'Busy', 'cpuPercent', 'above', 90, 300, 1, 0, 0)`,
      id,
      of,
    ]),
    [
      `insert into backup_keys (id, tenant_id, recipient, sealed_identity, created_at, retired_at) values (?, ?, 'age1', ?, 0, 0)`,
      backupKeyId,
      ownerId,
      await deps.envelope.sealForInstance(backupIdentityPlace(backupKeyId), 'AGE-SECRET-KEY-1'),
    ],
  ];
  await env.DB.batch(statements.map(([sql, ...values]) => env.DB.prepare(sql).bind(...values)));
  await insertDeleted({ project, tenantId: ownerId, runnerId: runner.id, service, backupId, volumeId });
  const aiProviderId = `every-kind-${count}`;
  await connectProviders(call, aiProviderId, ownerId);
  const memberId = (await insertMember({ role: 'viewer', tenantId: ownerId })).id;
  return {
    projectId: project.id,
    projectSlug: project.slug,
    serviceId: service.id,
    deploymentId: deployment.id,
    envId,
    domainId,
    backupId,
    importId,
    uploadId,
    runId,
    scheduleId,
    volumeId,
    backupKeyId,
    registryId,
    gitCredentialId,
    githubAppId,
    channelId,
    alertId,
    ruleId,
    logDrainId,
    trustPolicyId: policy.id,
    hostRuleId,
    runnerId: runner.id,
    keyId: (await insertKey()).id,
    sessionId: (await insertKey({ kind: 'session', madeBy: (await insertKey()).id, expiresAt: lastDate })).id,
    memberId,
    passkeyId: await insertPasskey(memberId),
    identityId: await insertIdentity(memberId, aiProviderId),
    tenantId: await insertTenant(`every-kind-${count}`),
    resourceId: await insertForeignDeletion(),
    aiProviderId,
    identityProviderId: aiProviderId,
    providerId: 'cloudflare',
  };
}

interface Beside {
  project: { id: string };
  tenantId: string;
  runnerId: string;
  service: { id: string; projectId: string };
  backupId: string;
  volumeId: string;
}

async function insertDeleted({
  project,
  tenantId,
  runnerId,
  service,
  backupId,
  volumeId,
}: Beside): Promise<void> {
  const gone = await insertService({ projectId: project.id, runnerId });
  const goneProject = await insertProject({ tenantId });
  const goneBackup = newId('backup', deps.fillRandom);
  const [backup] = await deps.db.select().from(backups).where(eq(backups.id, backupId));
  if (!backup) throw new Error(`no backup ${backupId}`);
  await deps.db.insert(backups).values({ ...backup, id: goneBackup });
  await deleteService(deps, gone.id);
  await deleteProject(deps, goneProject.id);
  await keepDeletedBackup(deps, { backup: { id: goneBackup }, service });
  const goneVolume = newId('volume', deps.fillRandom);
  await env.DB.prepare(insertOneVolume).bind(goneVolume, service.id, 'gone', '/gone').run();
  await deleteVolume(deps, { volume: { id: goneVolume }, service });
  deletedBeside.set(`deleted volume ${volumeId}`, goneVolume);
  deletedBeside.set(`deleted service ${service.id}`, gone.id);
  deletedBeside.set(`deleted project ${project.id}`, goneProject.id);
  deletedBeside.set(`deleted backup ${backupId}`, goneBackup);
}

/** The latest time that a Date can hold, in epoch milliseconds. */
const lastDate = 8.64e15;

async function insertForeignDeletion(): Promise<string> {
  const id = newId('service', deps.fillRandom);
  await env.DB.prepare(
    `insert into deletions (resource_id, kind, tenant_id, project_id, service_id, name, project_name, deleted_at, restorable_until)
      values (?, 'service', 'ten_foreign', 'prj_foreign', ?, 'Web', 'Shop', 0, ${lastDate})`,
  )
    .bind(id, id)
    .run();
  return id;
}

async function insertPasskey(memberId: string): Promise<string> {
  const id = memberId.replace('mem_', 'pky_');
  await deps.db.insert(passkeys).values({
    ...{ id, memberId, name: 'Laptop', rpId: 'longshore.test', credentialId: id, publicKey: 'AAAA' },
    ...{ counter: 0, transports: [], canSync: false, isSynced: false, createdAt: 0 },
  });
  return id;
}

async function insertIdentity(memberId: string, providerId: string): Promise<string> {
  const id = memberId.replace('mem_', 'idn_');
  await deps.db.insert(identities).values({
    ...{
      id,
      memberId,
      providerId,
      issuer: 'https://login.example',
      subject: id,
      createdAt: 0,
      lastUsedAt: 0,
    },
  });
  return id;
}

async function connectProviders(call: Client, aiProviderId: string, tenantId: string): Promise<void> {
  const ai = { kind: 'openai-compatible', baseUrl: 'https://llm.example/v1', defaultModel: 'm' };
  const dns = { id: 'cloudflare', credentials: { apiToken: 'token' }, verify: false };
  const replies = await Promise.all([
    call('POST', '/api/system/ai-providers', { token: operatorToken, body: { id: aiProviderId, ...ai } }),
    call('POST', '/api/system/dns-providers', { token: operatorToken, body: dns }),
  ]);
  await deps.db.insert(identityProviders).values({
    ...{
      id: aiProviderId,
      tenantId,
      kind: 'oidc',
      name: 'Login',
      issuer: 'https://login.example',
    },
    ...{
      clientId: 'longshore',
      emailDomains: [],
      trustsEmail: false,
      enabled: false,
      createdAt: 0,
      updatedAt: 0,
    },
    sealedClientSecret: await sealInstanceSecret(deps, clientSecretPlace(aiProviderId), {
      clientSecret: 'x',
    }),
  });
  for (const { status, text } of replies) if (status !== 200) throw new Error(text);
}
