/** The overview of a service: the service with its deployments, variables, domains and warnings. */
import { z } from 'zod';
import { certificateStateSchema } from '../../../protocol/domain-state.ts';
import { appliers } from '../../domain/deployments/pending-settings.ts';
import { verificationRecord } from '../../domain/domains/name-verification.ts';
import { switches, switchOf } from '../../domain/services/volumes.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { DomainRow } from '../../store/domains/domain-store.ts';
import type { Overview, ShownVariable } from '../../usecases/services/read-overview.ts';
import { deploymentSchema, presentDeployment } from './present-deployment.ts';
import { presentService, serviceSchema } from './present-service.ts';
import { presentVolume, volumeSchema } from './present-volume.ts';

export const variableSchema = z.strictObject({
  id: z.string(),
  key: z.string(),
  hasValue: z.boolean(),
  /** By choice, or by the rule for names and values. */
  secret: z.boolean(),
  /** Empty for a key without write access if the variable is secret; `hasValue` still tells whether there is a value. */
  value: z.string(),
  /** Then empty also if the variable refers to a secret one. */
  resolvedValue: z.string(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const domainSchema = z.strictObject({
  id: z.string(),
  serviceId: z.string(),
  hostname: z.string(),
  status: z.enum(['pending', 'active']),
  /** What the name waits for, or the result of the host's DNS check, as a sentence. */
  detail: z.string(),
  certificate: z.strictObject({
    state: certificateStateSchema.shape.state,
    expiresAt: timestampSchema.nullable(),
    detail: z.string(),
  }),
  /** The TXT record that verifies the name, while it waits for its verification; otherwise absent. */
  proof: z.strictObject({ recordType: z.literal('TXT'), name: z.string(), value: z.string() }).optional(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

const keys = (what: string) =>
  z
    .array(z.string())
    .describe(what)
    .meta({ examples: [['MODE']] });

export const overviewSchema = z.strictObject({
  service: serviceSchema,
  deployments: z.array(deploymentSchema),
  env: z.array(variableSchema),
  /** Variables that exist only for references, such as `DATABASE_URL` of a database. */
  derivedVariables: z.array(z.strictObject({ key: z.string(), value: z.string(), secret: z.boolean() })),
  domains: z.array(domainSchema),
  publicIp: z.string(),
  /** Sentences about unresolved references, and about a live version that crashes, with its last log lines. */
  warnings: z.array(z.string()),
  crashExplainable: z
    .boolean()
    .describe(
      'Whether the live version ended by itself, was stopped by its host or fails the HEALTHCHECK of its image: `POST /api/services/:serviceId/explain-crash` says why.',
    ),
  /** Keys of the variables that the live version has otherwise than they are set now: they wait for a restart or deployment. */
  pendingVariables: z.array(z.string()),
  pendingChanges: z
    .strictObject({
      added: keys('The live version does not have them.'),
      changed: keys('The live version has them with another value.'),
      removed: keys('Only the live version has them.'),
    })
    .describe('The same keys, by what happened to them since the live version started. Never values.'),
  /** Paths of the mounted files that the live version has otherwise, or not yet. */
  pendingFiles: z.array(z.string()),
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
  volumes: z.array(volumeSchema),
  /** Whether a deployment stops the old version before the new one starts. */
  switch: z.enum(switches),
});

export function presentOverview(overview: Overview): z.infer<typeof overviewSchema> {
  return {
    service: presentService(overview.view),
    deployments: overview.deployments.map(presentDeployment),
    env: overview.variables.map(presentVariable),
    derivedVariables: overview.derived,
    domains: overview.domains.map((domain) => presentDomain(domain, overview.nameToken)),
    publicIp: overview.publicIp,
    warnings: overview.warnings,
    crashExplainable: overview.hasTrouble,
    pendingVariables: overview.pendingVariables,
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
