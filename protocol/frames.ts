/**
 * The control socket between a runner and its RunnerHub: JSON text frames, with one schema per direction.
 * Unknown fields are ignored and the previous version is accepted, because Worker, object and runner are updated at different times.
 * Keep-alive is not a frame: the runner sends the text `ping`, and the platform answers `pong` without waking the hub.
 */
import { z } from 'zod';
import { domainStateSchema } from './domain-state.ts';
import { hostRequestSchema } from './host-request.ts';
import { hostTaskSchema, proxyResultSchema } from './host-task.ts';
import { jobEventSchema } from './job-report.ts';
import { jobSpecSchema } from './job-spec.ts';
import { sealedDrainsSchema } from './logs/drains.ts';
import { firingAlertsSchema } from './metrics/alerts.ts';
import { ownRulesSchema } from './metrics/own-rules.ts';
import { observedServiceSchema } from './observed/observed-service.ts';
import { runnerFactsSchema } from './runner-facts.ts';
import { safeParseUntrusted } from './untrusted/safe-parse.ts';

export const protocolVersion = 1;
export const pingText = 'ping';
export const pongText = 'pong';

const version = z
  .number()
  .int()
  .min(protocolVersion - 1)
  .max(protocolVersion);
const attempt = { v: version, job: z.string(), epoch: z.number().int().positive() };

/**
 * A ticket for a socket to the log's own object (enrolment.ts, `log`), which carries the same frames of lines and acknowledgements. Sent only on
 * the control socket, and only while a client reads.
 */
const ticket = z.string().max(1_000).optional();

/** Milliseconds between frames while a client reads. Longer while the control plane has to save requests. Absent: 250. */
const paceMs = z.number().int().min(0).max(60_000).optional();

const logStreamNames = ['stdout', 'stderr', 'system'] as const;

/** One line of a build log. `at`: epoch milliseconds on the host. The id of the line is the frame's `first` plus the line's index. */
export const logLineSchema = z.object({
  stream: z.enum(logStreamNames),
  at: z.number().int(),
  line: z.string(),
});

/** Characters of a line in a frame or a row besides its text: `{"stream":"stdout","at":1790000000000,"line":""},`. */
const lineOverhead = 55;

/** The size of lines in frames and rows, in characters. Empty lines have a size too. */
export const sizeOfLines = (lines: readonly LogLine[]): number =>
  lines.reduce((sum, { line }) => sum + line.length + lineOverhead, 0);

/**
 * One line of a running container. Its id is the time in microseconds at which Docker received it, increased if two would be equal. So ids
 * increase across connections, runner processes and containers, and a reader can resume after any of them.
 */
export const runtimeLineSchema = z.object({
  id: z.number().int(),
  stream: z.enum(logStreamNames),
  line: z.string(),
  /** Number of the container that printed the line, from 1; absent: the service had only one. */
  replica: z.number().int().positive().optional(),
});

/** Frames from the hub to the runner. */
export const hubFrameSchema = z.discriminatedUnion('type', [
  /** Starts the conversation; the runner signs the nonce. */
  z.object({ v: version, type: z.literal('challenge'), nonce: z.string(), audience: z.string() }),
  /** The hello was accepted. `drained`: the host accepts no new jobs (information only; the hub sends none). */
  z.object({
    v: version,
    type: z.literal('welcome'),
    runnerId: z.string(),
    drained: z.boolean(),
    /** After this connection is lost, reconnect at a random moment within this time. */
    reconnectWithinMs: z.number().int().min(0).max(600_000),
    /** Why the host gets no work until its runner is upgraded; null: the host gets work. */
    upgradeNeeded: z.string().nullable(),
    /** The same as in `alert-rules` and `log-drains`. null: the host keeps its current ones. */
    alertRules: ownRulesSchema.nullable(),
    logDrains: sealedDrainsSchema.nullable(),
  }),
  /** Start this job. Repeated until the runner mentions the job; a runner that already has it drops the repeat. */
  z.object({
    ...attempt,
    type: z.literal('start'),
    /** Counted from receipt, because neither side trusts the other's clock. */
    deadlineMs: z.number().int(),
    spec: jobSpecSchema,
    sealed: z.string(),
  }),
  /** Stop the job: a user requested the abort, or the attempt is no longer current. */
  z.object({ ...attempt, type: z.literal('abort') }),
  /** Answer to `switch-request`. If denied, remove the new version and report `aborted`. */
  z.object({ ...attempt, type: z.literal('switch-answer'), granted: z.boolean() }),
  /** Lines up to `through` are stored. If more lines were sent, the later ones were lost: continue after `through`. */
  z.object({
    v: version,
    type: z.literal('log-ack'),
    job: z.string(),
    through: z.number().int().min(0),
    watched: z.boolean(),
    ticket,
    paceMs,
  }),
  /** A client is reading the log: flush every 250 ms until a `log-ack` has `watched: false`. */
  z.object({ v: version, type: z.literal('watch'), job: z.string() }),
  /** The report is stored (or the job was already final): forget it. */
  z.object({ v: version, type: z.literal('report-ack'), id: z.string() }),
  z.object({ v: version, type: z.literal('task'), id: z.string(), task: hostTaskSchema }),
  /**
   * A client is reading the log of this service's container: send the last `lines` lines with an id above `after`, then follow.
   * Repeated while there are readers; for a runner that already follows, `lines: 0` changes nothing.
   */
  z.object({
    v: version,
    type: z.literal('tail'),
    serviceId: z.string(),
    after: z.number().int().min(0),
    lines: z.number().int().min(0),
    ticket,
  }),
  /** A `runtime-logs` frame was passed on. `watched: false`: there are no more readers, stop. */
  z.object({ v: version, type: z.literal('tail-ack'), serviceId: z.string(), watched: z.boolean(), paceMs }),
  /** All of the people's own alert rules that this host watches. */
  z.object({ v: version, type: z.literal('alert-rules'), rules: ownRulesSchema }),
  /** All log drains of this host's projects. */
  z.object({ v: version, type: z.literal('log-drains'), sealed: sealedDrainsSchema }),
  /** A request to the host, answered with `response`; `deadlineMs` counts from receipt. */
  z.object({
    v: version,
    type: z.literal('request'),
    id: z.string(),
    deadlineMs: z.number().int(),
    ask: hostRequestSchema,
  }),
]);

/** Epoch milliseconds by the host's clock, which may be wrong: the hub compares it with its own clock. */
const sentAt = z.number().int();
/** Frames from the runner to the hub. */
export const runnerFrameSchema = z.discriminatedUnion('type', [
  z.object({
    v: version,
    type: z.literal('hello'),
    runnerId: z.string(),
    /** New at every start of the runner process. */
    bootId: z.string(),
    sentAt,
    nonce: z.string(),
    audience: z.string(),
    /** Ed25519 over `helloSigningText`, base64url. */
    signature: z.string(),
    facts: runnerFactsSchema,
    /** Jobs that this process already has, so that the hub does not send them again. */
    jobs: z.array(z.object({ job: z.string(), epoch: z.number().int() })),
  }),
  /** Renews the leases of jobs: sent every 20 s while there are jobs, and immediately when the runner takes a job. */
  z.object({
    v: version,
    type: z.literal('alive'),
    jobs: z.array(z.object({ job: z.string(), epoch: z.number().int() })),
  }),
  /** Lines `first` .. `first + lines.length - 1`. `last`: store and acknowledge immediately, because the next lines may take a while. */
  z.object({
    ...attempt,
    type: z.literal('logs'),
    first: z.number().int().positive(),
    lines: z.array(logLineSchema),
    last: z.boolean(),
  }),
  /** `past`: the last lines, sent once for each `tail` that requests them. `live`: new lines, with at most four unacknowledged frames. */
  z.object({
    v: version,
    type: z.literal('runtime-logs'),
    serviceId: z.string(),
    part: z.enum(['past', 'live']),
    lines: z.array(runtimeLineSchema),
  }),
  /** Requests permission to switch the traffic. This is the commit point. */
  z.object({ ...attempt, type: z.literal('switch-request') }),
  /** Repeated until acknowledged; `id` is globally unique. */
  z.object({ ...attempt, type: z.literal('report'), id: z.string(), event: jobEventSchema }),
  z.object({ v: version, type: z.literal('task-done'), id: z.string(), proxy: proxyResultSchema }),
  z.object({
    v: version,
    type: z.literal('response'),
    id: z.string(),
    outcome: z.discriminatedUnion('ok', [
      // JSON has no place for the value of an answer without one.
      z.object({ ok: z.literal(true), value: z.unknown().optional() }),
      z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
    ]),
  }),
  /** Facts about the host that have changed since the hello. */
  z.object({ v: version, type: z.literal('facts'), facts: runnerFactsSchema, sentAt }),
  /** States of custom domains: all of them after hello, then only changes. */
  z.object({ v: version, type: z.literal('domains'), domains: z.array(domainStateSchema) }),
  z.object({ v: version, type: z.literal('alerts'), firing: firingAlertsSchema }),
  /** The services on the host; sent after hello and on every change. */
  z.object({
    v: version,
    type: z.literal('observed'),
    services: z.array(observedServiceSchema),
  }),
]);

export type LogLine = z.infer<typeof logLineSchema>;
export type RuntimeLine = z.infer<typeof runtimeLineSchema>;
export type HubFrame = z.infer<typeof hubFrameSchema>;
export type RunnerFrame = z.infer<typeof runnerFrameSchema>;
/** One frame type by name: `HubFrameOf<'start'>`. */
export type HubFrameOf<T extends HubFrame['type']> = Extract<HubFrame, { type: T }>;
export type RunnerFrameOf<T extends RunnerFrame['type']> = Extract<RunnerFrame, { type: T }>;

/** The result of parsing a frame. For `invalid`, the receiver logs the reason and drops the frame. */
export type Parsed<F> = { ok: true; frame: F } | { ok: false; reason: string };

/** Parses a frame from a hub. Never throws. */
export const parseHubFrame = (text: string): Parsed<HubFrame> => parse(hubFrameSchema, text);
/**
 * Twice the size of a runner's largest answer. A socket accepts 32 MiB, and objects share the memory of their process, so one hostile host
 * could end the hubs of others.
 */
export const runnerFrameCharsMax = 8 * 2 ** 20;
/** Without a limit, a frame with a million faults would cause a sentence for each. */
const reasonCharsMax = 500;

/** Parses a frame from a runner. Never throws. */
export const parseRunnerFrame = (text: string): Parsed<RunnerFrame> =>
  text.length > runnerFrameCharsMax
    ? { ok: false, reason: `${text.length} characters, at most ${runnerFrameCharsMax} are read` }
    : parse(runnerFrameSchema, text);

function parse<F>(schema: z.ZodType<F>, text: string): Parsed<F> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'not JSON' };
  }
  const parsed = safeParseUntrusted(schema, value);
  return parsed.success
    ? { ok: true, frame: parsed.data }
    : { ok: false, reason: z.prettifyError(parsed.error).slice(0, reasonCharsMax) };
}
