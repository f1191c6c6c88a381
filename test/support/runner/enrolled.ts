/** A data directory of an enrolled runner, and frames as its hub would send them. */
import type { HubFrameOf } from '../../../protocol/frames.ts';
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { runnerConfigSchema } from '../../../runner/setup/config.ts';
import { writeConfig } from '../../../runner/setup/config-file.ts';
import { ensureIdentity } from '../../../runner/setup/identity.ts';
import { seal } from './seal.ts';
import type { TestHub } from './test-hub.ts';

export const runnerId = 'run_cccccccccccccccc';

export interface Enrolled {
  /** A start frame; `sealed` is encrypted for this runner, job and epoch. */
  start(job: string, more?: StartOptions): Omit<HubFrameOf<'start'>, 'v'>;
}

export interface StartOptions {
  epoch?: number;
  deadlineMs?: number;
  spec?: Partial<DeploySpec>;
  secrets?: Partial<DeploySecrets>;
}

export function enrolled(dataDirectory: string, hub: TestHub, settings: object = {}): Enrolled {
  const { identityKey, sealingKey } = ensureIdentity(dataDirectory);
  hub.identityKeys.set(runnerId, identityKey);
  const config = {
    url: hub.url,
    runnerId,
    name: 'test',
    httpPort: 80,
    httpsPort: 443,
    webPorts: { first: 41_000, last: 41_999 },
    databasePorts: { first: 45_000, last: 45_999 },
    caddyPath: 'caddy',
    allowPrivate: [],
    ...settings,
  };
  writeConfig(dataDirectory, runnerConfigSchema.parse(config));
  return {
    start(job, { epoch = 1, deadlineMs = 3_600_000 * 24 * 365 * 10, spec = {}, secrets = {} } = {}) {
      const clear = JSON.stringify({ env: {}, gitToken: null, ...secrets });
      const sealed = seal(sealingKey, { runnerId, job, epoch }, clear);
      return { type: 'start', job, epoch, deadlineMs, spec: { ...baseSpec(job), ...spec }, sealed };
    },
  };
}

/** Each job has its own service by default. */
function baseSpec(job: string): DeploySpec {
  const tail = job
    .replace(/[^a-z0-9]/g, '')
    .padEnd(16, 'x')
    .slice(0, 16);
  return {
    kind: 'deploy',
    projectId: 'prj_aaaaaaaaaaaaaaaa',
    serviceId: `svc_${tail}`,
    deploymentId: `dep_${tail}`,
    serviceSlug: 'app',
    source: { type: 'image', imageRef: 'node:24-slim' },
    build: {
      method: 'auto',
      dockerfilePath: null,
      installCommand: null,
      buildCommand: null,
      startCommand: null,
      staticOutput: null,
    },
    runtimeMode: 'web',
    internalPort: 8080,
    hostPort: 41_000,
    hostnames: [],
    healthCheckPath: null,
    memoryLimitMb: null,
    cpuLimit: null,
    warnings: [],
  };
}
