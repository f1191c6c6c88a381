/** Requests of the control plane to a connected host, for which a client waits. Secrets in them are sealed. */
import { z } from 'zod';
import { databaseAskSchema, engineNames } from './database.ts';
import { idSchema } from './ids.ts';
import { logSearchSchema } from './logs/kept-logs.ts';
import { metricPointsMax, seriesNameSchema } from './metrics/series.ts';
import { terminalSizeSchema } from './shells/shell.ts';

export const hostRequestSchema = z.discriminatedUnion('op', [
  /** Sends a request for this host name through the host's proxy. Answer: `ProxyResult`. */
  z.object({ op: z.literal('probe-route'), hostname: z.string() }),
  /** Sends a backup's local copy, from `offset`, to the transfer. Answer: `{size}` once the file is open; the bytes follow. */
  z.object({
    op: z.literal('send-backup'),
    backupId: idSchema('backup'),
    serviceId: idSchema('service'),
    transferId: idSchema('transfer'),
    /** Bearer token that authenticates the transfer's parts. */
    transferToken: z.string(),
    /** In bytes of what is sent. */
    offset: z.number().int().nonnegative(),
    end: z.number().int().positive(),
    /** Decrypt the file: the identity that opens it, sealed for `requestPlace`. Absent: the bytes are sent as they are stored. */
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
  /** Does the service's database offer TLS? Answer: `DatabaseTlsAnswer`. */
  z.object({ op: z.literal('database-tls'), serviceId: z.string() }),
  /** Looks up the TXT records of this name with the host's name servers. Answer: `TxtAnswer`. */
  z.object({ op: z.literal('look-up-txt'), name: z.string() }),
  /** The TXT record that a wildcard's order waits for was made, or why it was not. Answer: nothing. */
  z.object({
    op: z.literal('challenge-answer'),
    hostname: z.string(),
    value: z.string(),
    ok: z.boolean(),
    detail: z.string(),
  }),
  /** What does the host keep for services? Answer: `HostInventory`. */
  z.object({ op: z.literal('inventory') }),
  /**
   * Open a session in a container of a service: connect to `runnerPaths.shell` with the token as bearer, then start the command once
   * `start` comes. Answer: `OpenShellAnswer`, when connected.
   */
  z.object({
    op: z.literal('open-shell'),
    shellId: idSchema('shell'),
    token: z.string(),
    serviceId: idSchema('service'),
    /** In the container of this command, which is being started; null: in the live one. */
    runId: idSchema('run').nullable(),
    /** Whose sessions are counted. */
    tenantId: z.string(),
    keyId: z.string(),
    /** null: bash, or sh where there is no bash. */
    command: z.array(z.string()).min(1).nullable(),
    /** null: without a terminal, output and errors apart. `type`: the value of TERM. */
    terminal: terminalSizeSchema.extend({ type: z.string() }).nullable(),
  }),
  /** What was measured of a service, or of the host. Answer: `MetricsAnswer`. */
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
  /** Search in the logs that the host keeps. Answer: `LogSearchAnswer`. Only for runners with `keepsLogs`. */
  z.object({ op: z.literal('search-logs'), search: logSearchSchema }),
  /** How far is a log drain? Answer: `DrainStatus`, or null. Only for runners with `drainsLogs`, like the next one. */
  z.object({ op: z.literal('drain-status'), drainId: idSchema('logDrain') }),
  /** Sends one line to a receiver. `sealed`: a `DrainReceiver` for `requestPlace`. Answer: `DrainTest`. */
  z.object({ op: z.literal('test-drain'), sealed: z.string() }),
  /** Measures volumes of the service. Answer: `VolumeSizes`, after 10 s at the latest. Only for runners with `measuresVolumes`. */
  z.object({
    op: z.literal('measure-volumes'),
    serviceId: idSchema('service'),
    volumeIds: z.array(idSchema('volume')),
  }),
  /** Install the release that the control plane offers. Answer: `HostUpgradeAnswer`, before the upgrade begins. */
  z.object({ op: z.literal('upgrade') }),
]);

/** `started: false`: an upgrade is running already. */
export const hostUpgradeAnswerSchema = z.object({ started: z.boolean() });

export type HostRequest = z.infer<typeof hostRequestSchema>;
export type HostRequestOf<Op extends HostRequest['op']> = Extract<HostRequest, { op: Op }>;
