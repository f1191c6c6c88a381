/** The overview of a service: the service with its deployments, variables, domains and warnings. */
import { z } from 'zod';
import { certificateStateSchema } from '../../../protocol/domain-state.ts';
import { note } from '../../../protocol/note.ts';
import { variableScopes } from '../../../protocol/variable-scope.ts';
import { appliers } from '../../domain/deployments/pending-settings.ts';
import { verificationRecord } from '../../domain/domains/name-verification.ts';
import { switches, switchOf } from '../../domain/services/volumes.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { DomainRow } from '../../store/domains/domain-store.ts';
import type { Overview, ShownVariable } from '../../usecases/services/read-overview.ts';
import { awaitedPushSchema, presentAwaitedPush } from './present-awaited-push.ts';
import { deploymentSchema, presentDeployment } from './present-deployment.ts';
import { presentService, serviceSchema } from './present-service.ts';
import { presentVolume, volumeSchema } from './present-volume.ts';

export const variableSchema = z.strictObject({
  id: idOf('variable'),
  key: z.string().meta(notes.key),
  hasValue: z.boolean().meta(note('Whether the value is not empty, also where it is hidden.', true)),
  /** Secret by choice, or by the rule for names and values. */
  secret: z.boolean().meta(notes.secret),
  scope: z.enum(variableScopes).meta(notes.scope),
  /** Empty for a key without write access if the variable is secret; `hasValue` still shows whether there is a value. */
  value: z.string().meta(notes.value),
  /** Also empty for such a key if the variable refers to a secret one. */
  resolvedValue: z
    .string()
    .meta(note('The value with its references filled in.', 'postgres://app:...@db:5432/app')),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});

export const domainSchema = z.strictObject({
  id: idOf('domain'),
  serviceId: z.string().meta(notes.serviceId),
  hostname: z.string().meta(notes.hostname),
  status: z.enum(['pending', 'active']).meta(notes.state),
  detail: z
    .string()
    .describe("What the name waits for, or the result of the host's DNS check, as a sentence."),
  certificate: z
    .strictObject({
      state: certificateStateSchema.shape.state,
      expiresAt: timestampSchema.nullable().meta(notes.expiresAt),
      detail: z.string().meta(notes.detail),
    })
    .describe('Its TLS certificate.'),
  proof: z
    .strictObject({
      recordType: z.literal('TXT').meta(notes.recordType),
      name: z.string().meta(notes.recordName),
      value: z.string().meta(notes.recordValue),
    })
    .optional()
    .describe('TXT record that verifies the name; absent once it is verified.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});

const keys = (what: string) =>
  z
    .array(z.string())
    .describe(what)
    .meta({ examples: [['MODE']] });

export const overviewSchema = z.strictObject({
  service: serviceSchema,
  deployments: z.array(deploymentSchema).meta(notes.deployments),
  awaitedPush: awaitedPushSchema,
  env: z.array(variableSchema),
  derivedVariables: z
    .array(
      z.strictObject({
        key: z.string().meta(notes.key),
        value: z.string().describe('The value; empty where it is hidden from the key.'),
        secret: z.boolean().meta(notes.secret),
      }),
    )
    .describe('Variables that exist only for references, such as the URLs of a database.'),
  domains: z.array(domainSchema),
  publicIp: z.string().meta(notes.publicIp),
  warnings: z
    .array(z.string())
    .meta(
      note(
        'Sentences about unresolved references, and about a live version that crashes, with its last log lines.',
        ['DATABASE_URL refers to a service that does not exist.'],
      ),
    ),
  crashExplainable: z
    .boolean()
    .describe(
      'Whether the live version ended by itself, was stopped by its host or fails the HEALTHCHECK of its image: `POST /api/services/:serviceId/explain-crash` says why.',
    ),
  pendingVariables: z
    .array(z.string())
    .meta(
      note(
        'Keys of the variables that the live version has otherwise than they are set now: they wait for a restart or deployment.',
        ['MODE'],
      ),
    ),
  pendingBuildVariables: z
    .array(z.string())
    .meta(
      note(
        'Keys of the variables with the scope `build` that the image of the live version was built without, or with another value: they wait for a deployment that builds.',
        ['NPM_TOKEN'],
      ),
    ),
  pendingChanges: z
    .strictObject({
      added: keys('The live version does not have them.'),
      changed: keys('The live version has them with another value.'),
      removed: keys('Only the live version has them.'),
    })
    .describe('The same keys, by what happened to them since the live version started. Never values.'),
  pendingFiles: z.array(z.string()).meta(notes.pendingFiles),
  pendingSettings: z
    .array(
      z.strictObject({
        name: z
          .string()
          .describe('The setting, as the service has it.')
          .meta({ examples: ['memoryLimitMb'] }),
        before: z.string().nullable().describe('As the live version has it; null: not set.'),
        after: z.string().nullable().describe('As it is set now; null: not set.'),
        appliedBy: z.enum(appliers).describe('What brings it to the live version. A deployment always does.'),
      }),
    )
    .describe('Settings that the live version has otherwise. Empty if it is not known what it started with.'),
  volumes: z.array(volumeSchema).meta(notes.volumes),
  switch: z.enum(switches).meta(notes.switch),
});

export function presentOverview(overview: Overview): z.infer<typeof overviewSchema> {
  return {
    service: presentService(overview.view),
    deployments: overview.deployments.map(presentDeployment),
    awaitedPush: presentAwaitedPush(overview.awaitedPush),
    env: overview.variables.map(presentVariable),
    derivedVariables: overview.derived,
    domains: overview.domains.map((domain) => presentDomain(domain, overview.nameToken)),
    publicIp: overview.publicIp,
    warnings: overview.warnings,
    crashExplainable: overview.hasTrouble,
    pendingVariables: overview.pendingVariables,
    pendingBuildVariables: overview.pendingBuildVariables,
    pendingChanges: overview.pendingChanges,
    pendingFiles: overview.pendingFiles,
    pendingSettings: overview.pendingSettings,
    volumes: overview.volumes.map(presentVolume),
    switch: switchOf(overview.view.service, overview.volumes.length),
  };
}

export function presentVariable(variable: ShownVariable): z.infer<typeof variableSchema> {
  return {
    id: variable.id,
    key: variable.key,
    hasValue: variable.hasValue,
    secret: variable.secret,
    scope: variable.scope ?? 'both',
    value: variable.value,
    resolvedValue: variable.resolvedValue,
    createdAt: timestamp(variable.createdAt),
    updatedAt: timestamp(variable.updatedAt),
  };
}

/** @param nameToken of the service's tenant */
export function presentDomain(domain: DomainRow, nameToken: string): z.infer<typeof domainSchema> {
  return {
    id: domain.id,
    serviceId: domain.serviceId,
    hostname: domain.hostname,
    status: domain.status,
    detail: domain.dnsDetail ?? 'The host has not checked its DNS yet.',
    certificate: {
      state: domain.certificate?.state ?? 'none',
      expiresAt: timestampOrNull(domain.certificate?.expiresAt ?? null),
      detail: domain.certificate?.detail ?? '',
    },
    ...(domain.isVerified ? {} : { proof: verificationRecord(domain.hostname, nameToken) }),
    createdAt: timestamp(domain.createdAt),
    updatedAt: timestamp(domain.updatedAt),
  };
}
