/** What the table says of each setting is true of the code that obeys it. */
import { describe, expect, test } from 'vitest';
import { deploySpecSchema } from '../../../../../protocol/job-spec.ts';
import {
  type DeployableService,
  type DeploySpecParts,
  deploySpecOf,
  restartSpecOf,
} from '../../../../../worker/domain/deployments/deploy-spec.ts';
import { pendingSettings } from '../../../../../worker/domain/deployments/pending-settings.ts';
import {
  changeSetting,
  deployAgain,
  restart,
} from '../../../../../worker/domain/explanations/failure-rules/commands.ts';
import { withNextStep } from '../../../../../worker/domain/explanations/failure-rules/explain-failure.ts';
import { commandTools } from '../../../../../worker/domain/explanations/failure-rules/failure.ts';
import type { ServiceKind } from '../../../../../worker/domain/services/service-kind.ts';
import {
  newColumns,
  type SettingName,
  servicePatchSchema,
  settingRows,
} from '../../../../../worker/domain/services/settings/service-settings.ts';
import { failureOf } from '../../../../support/worker/failure-fixtures.ts';

const sources = {
  git: { repoUrl: 'https://git.example/a.git', repoFullName: null, imageRef: null },
  upload: { repoUrl: 'upload', repoFullName: null, imageRef: null },
  image: { repoUrl: 'container-image', repoFullName: null, imageRef: 'nginx:1' },
  database: { repoUrl: 'database', repoFullName: 'database:postgres', imageRef: null },
} as const;

const serviceOf = (kind: ServiceKind): DeployableService => ({
  ...{ id: 'svc_aaaaaaaaaaaaaaaa', projectId: 'prj_aaaaaaaaaaaaaaaa', slug: 'web', name: 'web', kind },
  ...newColumns({}),
  ...sources[kind],
  ...{
    containerSettings: null,
    healthSettings: null,
    stopSettings: null,
    pushSettings: null,
    buildSettings: null,
    engineSettings: null,
  },
  ...{ defaultImageRef: 'postgres:17', hostPort: 41_000, generatedHostname: 'web.localhost' },
  ...{ routesRevision: 0, trafficRules: null },
});

/** Values for settings whose example is their default, or fits only another kind. */
const otherValues: Partial<Record<SettingName, unknown>> = {
  name: 'other',
  protected: true,
  branch: 'next',
  repoFullName: 'acme/other',
  runtimeMode: 'worker',
  buildMethod: 'dockerfile',
  internalPort: 9000,
  replicas: 2,
  databasePublicEnabled: true,
  postgresLogicalReplicationEnabled: true,
};

const partsOf = (service: DeployableService): DeploySpecParts => ({
  ...{ service, tenantId: 'default', deploymentId: 'dep_aaaaaaaaaaaaaaa1', domains: [], publicIp: null },
  limits: { pids: null, openFiles: null, diskMb: null, buildLogBytes: null },
  ...{ volumes: [], keptDeployments: [], warnings: [] },
  folder: { checksum: 'one', sizeBytes: 1 },
  ref: null,
  imageDigest: null,
  variables: { env: { POSTGRES_PASSWORD: 'secret' } },
});

/** The specs of a service before and after a change of this setting; undefined: specs do not have it. */
function changed(name: SettingName) {
  const row = settingRows.find(([one]) => one === name)?.[1];
  const kind = row?.kinds?.[0] ?? 'git';
  const value = otherValues[name] ?? row?.example;
  const stored = row?.stored ?? 'code';
  const isKey = stored !== 'column' && stored !== 'code';
  const before: DeployableService = { ...serviceOf(kind), ...(isKey && { [stored]: {} }) };
  const after: DeployableService = {
    ...before,
    ...(isKey ? { [stored]: { [name]: value } } : { [name]: value }),
  };
  const frozen = deploySpecOf(partsOf(before));
  const source = { id: 'dep_aaaaaaaaaaaaaaa0', commitSha: null };
  const restartOf = (service: DeployableService) =>
    restartSpecOf({ ...partsOf(service), source, frozen, kind });
  return {
    frozen,
    after,
    // As the host reads it: fields that the protocol does not know are lost.
    isIn: (specOf: (service: DeployableService) => unknown) => {
      const asRead = (service: DeployableService) => JSON.stringify(deploySpecSchema.parse(specOf(service)));
      return asRead(after) !== asRead(before);
    },
    restartOf,
  };
}

/** What applies it, as the specs of the two jobs show. */
function truthOf(name: SettingName): 'nothing' | 'restart' | 'deployment' {
  // A job's host and its credential are no parts of its spec: both are looked up when the source is fetched anew.
  if (name === 'runnerId' || name === 'gitToken') return 'deployment';
  const { isIn, restartOf } = changed(name);
  if (isIn(restartOf)) return 'restart';
  return isIn((service) => deploySpecOf(partsOf(service))) ? 'deployment' : 'nothing';
}

describe.each(settingRows)('%s', (name, { schema, example, appliedBy }) => {
  test('the table says what applies a change', () => {
    expect(appliedBy).toBe(truthOf(name));
  });

  test('a change that waits is reported with what applies it', () => {
    const { frozen, after } = changed(name);
    const pending = pendingSettings(frozen, frozen, {
      service: after,
      variables: { env: { POSTGRES_PASSWORD: 'secret' } },
      volumes: [],
    });
    // The name belongs to the certificate of a database, which is not compared.
    const isCompared =
      appliedBy !== 'nothing' && !['runnerId', 'gitToken', 'databasePublicHostname'].includes(name);
    const appliers = [...new Set(pending.map((one) => one.appliedBy))];
    expect(appliers).toEqual(isCompared ? [truthOf(name)] : []);
  });

  test.each(commandTools)('an explanation of a crash for %s ends with what applies the change', (tool) => {
    const fixture = { name: 'crash', origin: '', state: {}, lines: [] };
    const failure = failureOf(fixture, { tool, what: { kind: 'crash' } });
    const steps = [changeSetting(name, String(example)), deployAgain];
    const diagnosis = { summary: '', likelyCause: '', suggestedFix: '', steps };
    const apply = truthOf(name) === 'deployment' ? deployAgain : restart;
    expect(withNextStep(diagnosis, failure).steps.at(-1)).toBe(apply);
  });

  test('the example is a value that a body may have', () => {
    if (name !== 'gitToken') expect(schema.safeParse(example).error).toBeUndefined();
    expect(servicePatchSchema.shape).toHaveProperty(name);
  });
});
