/** Requests of the control plane to a connected host, while a client waits for the answer. Secrets in them are encrypted. */
import { z } from 'zod';
import { databaseAskSchema, engineNames } from './database.ts';
import { idSchema } from './ids.ts';
import { imageDigestSchema } from './image-digest.ts';
import { logSearchSchema } from './logs/kept-logs.ts';
import { manyServices, metricPointsMax, seriesNameSchema } from './metrics/series.ts';
import { terminalSizeSchema } from './shells/shell.ts';
import { plannedSourceSchema } from './sources/source-plan.ts';

export const hostRequestSchema = z.discriminatedUnion('op', [
  /** Sends a request for this host name through the host's proxy. Answer: `ProxyResult`. */
  z.object({ op: z.literal('probe-route'), hostname: z.string() }),
  /** Sends a backup's local copy, from `offset`, to the transfer. Answer: `{size}` once the file is open; the bytes follow. */
  z.object({
    op: z.literal('send-backup'),
    backupId: idSchema('backup'),
    serviceId: idSchema('service'),
    transferId: idSchema('transfer'),
    /** Bearer token that authenticates the parts of the transfer. */
    transferToken: z.string(),
    /** Position in the sent bytes. */
    offset: z.number().int().nonnegative(),
    end: z.number().int().positive(),
    /** Decrypt the file with this identity, which is encrypted for `requestPlace`. Absent: the bytes are sent as stored. */
    sealedIdentity: z.string().optional(),
  }),
  /** Calls Namecheap. `sealed`: a `NamecheapRequest` for `requestPlace`. Answer: `NamecheapAnswer`. */
  z.object({ op: z.literal('namecheap'), sealed: z.string() }),
  /** Queries the service's database. Answer: that of the action (`databaseAnswerSchemas`), or a refusal from `databaseRefusals`. */
  z.object({
    op: z.literal('database'),
    serviceId: z.string(),
    engine: z.enum(engineNames),
    ask: databaseAskSchema,
  }),
  /** Asks whether the service's database offers TLS. Answer: `DatabaseTlsAnswer`. */
  z.object({ op: z.literal('database-tls'), serviceId: z.string() }),
  /** Looks up the TXT records of this name with the host's name servers. Answer: `TxtAnswer`. */
  z.object({ op: z.literal('look-up-txt'), name: z.string() }),
  /** The TXT record for a wildcard's order was created, or `detail` says why not. Answer: nothing. */
  z.object({
    op: z.literal('challenge-answer'),
    hostname: z.string(),
    value: z.string(),
    ok: z.boolean(),
    detail: z.string(),
  }),
  /** Lists everything that the host keeps for services. Answer: `HostInventory`. */
  z.object({ op: z.literal('inventory') }),
  /**
   * Opens a session in a container of a service: connect to `runnerPaths.shell` with the token as bearer, then start the command after the message
   * `start`. Answer: `OpenShellAnswer`, when connected.
   */
  z.object({
    op: z.literal('open-shell'),
    shellId: idSchema('shell'),
    token: z.string(),
    serviceId: idSchema('service'),
    /** Open it in the container of this command, which is being started; null: in the live container. */
    runId: idSchema('run').nullable(),
    /** The tenant and the key whose sessions are counted. */
    tenantId: z.string(),
    keyId: z.string(),
    /** null: bash, or sh if there is no bash. */
    command: z.array(z.string()).min(1).nullable(),
    /** null: no terminal; output and errors are separate. `type`: the value of TERM. */
    terminal: terminalSizeSchema.extend({ type: z.string() }).nullable(),
  }),
  /** Reads the measured values of a service, or of the host. Answer: `MetricsAnswer`. */
  z.object({
    op: z.literal('metrics'),
    /** null: the host itself. */
    serviceId: idSchema('service').nullable(),
    /** Epoch milliseconds of the first step. */
    from: z.number().int().nonnegative(),
    stepSeconds: z.number().int().positive(),
    points: z.number().int().positive().max(metricPointsMax),
    series: z.array(seriesNameSchema).min(1),
  }),
  /**
   * Reads the means of several services. Answer: `ManyMetricsAnswer`. Only a runner whose facts have `manyMetrics` is asked. At most
   * `manyServices.numbersMax` numbers.
   */
  z.object({
    op: z.literal('many-metrics'),
    serviceIds: z.array(idSchema('service')).min(1).max(manyServices.most),
    /** Epoch milliseconds of the first step. */
    from: z.number().int().nonnegative(),
    stepSeconds: z.number().int().positive(),
    points: z.number().int().positive().max(metricPointsMax),
    series: z.array(seriesNameSchema).min(1),
  }),
  /** Searches the logs that the host keeps. Answer: `LogSearchAnswer`. */
  z.object({ op: z.literal('search-logs'), search: logSearchSchema }),
  /** Asks for the progress of a log drain. Answer: `DrainStatus`, or null. */
  z.object({ op: z.literal('drain-status'), drainId: idSchema('logDrain') }),
  /** Sends one line to a receiver. `sealed`: a `DrainReceiver` for `requestPlace`. Answer: `DrainTest`. */
  z.object({ op: z.literal('test-drain'), sealed: z.string() }),
  /** Measures volumes of the service. Answer: `VolumeSizes`, after 10 s at the latest. */
  z.object({
    op: z.literal('measure-volumes'),
    serviceId: idSchema('service'),
    volumeIds: z.array(idSchema('volume')),
  }),
  /**
   * Asks the registry which digest the tag of an image has now, without a pull. `sealed`: `RegistryLogin[]` for `requestPlace`. Answer:
   * `ImageDigestAnswer`, after 25 s at the latest. Only a runner whose facts have `imageDigests` is asked.
   */
  z.object({ op: z.literal('image-digest'), imageRef: z.string(), sealed: z.string() }),
  /**
   * Reads a source before there is a service. `sealed`: `PlanSecrets` for `requestPlace`. Answer: `SourcePlanAnswer`, after 50 s at the latest. Only
   * a runner whose facts have `sourcePlans` is asked.
   */
  z.object({ op: z.literal('read-source'), source: plannedSourceSchema, sealed: z.string() }),
  /** Installs the release that the control plane offers. Answer: `HostUpgradeAnswer`, before the upgrade begins. */
  z.object({ op: z.literal('upgrade') }),
]);

/** `started: false`: an upgrade is already running. */
export const hostUpgradeAnswerSchema = z.object({ started: z.boolean() });

export type HostRequest = z.infer<typeof hostRequestSchema>;
export type HostRequestOf<Op extends HostRequest['op']> = Extract<HostRequest, { op: Op }>;

/** The TXT records of a name, as a resolver returned them. */
export const txtAnswerSchema = z.discriminatedUnion('found', [
  /** The definite answer; empty: no such name, or no TXT record with exactly this name. */
  z.object({ found: z.literal('records'), values: z.array(z.string()) }),
  /** There was no definite answer. */
  z.object({ found: z.literal('failure'), reason: z.string() }),
]);

export type TxtAnswer = z.infer<typeof txtAnswerSchema>;

/** What a registry says about the tag of an image, as the answer to `image-digest`. */
export const imageDigestAnswerSchema = z.discriminatedUnion('found', [
  z.object({ found: z.literal('digest'), digest: imageDigestSchema }),
  /** `reason`: a sentence. `waitMs`: the wait that the registry asks for; null: none. */
  z.object({
    found: z.literal('failure'),
    reason: z.string(),
    waitMs: z.number().int().nonnegative().nullable(),
  }),
]);

export type ImageDigestAnswer = z.infer<typeof imageDigestAnswerSchema>;

/** A host's answer to `database-tls`: whether and how a database offers TLS. */
export const databaseTlsAnswerSchema = z.object({
  /** The database is running and presents a certificate that verifies against `authority`. */
  active: z.boolean(),
  /** PEM: the host's CA certificate; null if the database has no certificate of this CA. */
  authority: z.string().nullable(),
});

export type DatabaseTlsAnswer = z.infer<typeof databaseTlsAnswerSchema>;

/** Everything that a host keeps for services. The control plane compares it with its rows after its database was restored to an earlier state. */
export const hostInventorySchema = z.object({
  /** Services with a route, a container, a data volume or a backup on the host. */
  services: z.array(
    z.object({
      serviceId: z.string(),
      /** Null: only a static site or backups are left, which do not contain the project. */
      projectId: z.string().nullable(),
      /** The live deployment; null: none. */
      deploymentId: z.string().nullable(),
      isRunning: z.boolean(),
      /** The port of its route or container on the host; 0: none. */
      hostPort: z.number().int(),
      hostnames: z.array(z.string()),
      volumes: z.array(z.string()),
      /** Ids of the complete backup files. */
      backups: z.array(z.string()),
    }),
  ),
});

export type HostInventory = z.infer<typeof hostInventorySchema>;
export type InventoryService = HostInventory['services'][number];

/**
 * The sizes of volumes, measured during the request.
 * Answer to the request `measure-volumes`: one element for each requested volume.
 */
export const volumeSizesSchema = z.object({
  volumes: z.array(
    z.object({
      id: z.string(),
      /** In units of 2^20 bytes, rounded up; null: it has too many files to count in time. */
      usedMb: z.number().int().nonnegative().nullable(),
    }),
  ),
});
export type VolumeSizes = z.infer<typeof volumeSizesSchema>;
