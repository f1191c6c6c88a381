/** Searches in the logs that a host keeps. */
import { z } from 'zod';

/** From the least to the most severe. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Services of one search. */
export const searchedServicesMax = 20;
/** Whose lines are searched. */
export const logOrigins = ['app', 'access'] as const;
/** Logs of one search: each service has two. */
const searchedLogsMax = 2 * searchedServicesMax;
const accessSuffix = '-access';
/** The log of a service's requests, which is kept beside what its containers print: a flood of requests pushes out no line of the app. */
export const accessLogOf = (serviceId: string): string => `${serviceId}${accessSuffix}`;
export const isAccessLog = (logId: string): boolean => logId.endsWith(accessSuffix);
/** The service that a log belongs to. */
export const serviceOfLog = (logId: string): string =>
  isAccessLog(logId) ? logId.slice(0, -accessSuffix.length) : logId;

/** Lines of one answer. */
export const foundLinesMax = 1_000;
export const searchTextMax = 500;
export const searchFieldsMax = 10;

export const logSearchSchema = z.object({
  /**
   * Where each service's log is read from: after the line with this id, or before it if the newest lines come first. null: from the
   * first line of the order.
   */
  services: z
    .array(
      z.object({
        /** Or the log of its requests (`accessLogOf`). */
        serviceId: z.string().regex(/^\w[\w-]*$/),
        from: z.number().int().nonnegative().nullable(),
      }),
    )
    .min(1)
    .max(searchedLogsMax),
  order: z.enum(['newest', 'oldest']),
  /** Contained in the line, exactly. */
  text: z.string().max(searchTextMax).optional(),
  /** In the syntax of RE2. */
  regex: z.string().max(searchTextMax).optional(),
  levels: z.array(z.enum(logLevels)).optional(),
  /** Fields of a line that is a JSON object; `path` has dots between the names of nested ones. */
  fields: z
    .array(z.object({ path: z.string().max(searchTextMax), value: z.string().max(searchTextMax) }))
    .max(searchFieldsMax)
    .optional(),
  deploymentId: z.string().optional(),
  /** Microseconds since the epoch: lines from then on. */
  since: z.number().int().nonnegative().optional(),
  /** Microseconds since the epoch: lines before then. */
  until: z.number().int().nonnegative().optional(),
  limit: z.number().int().min(1).max(foundLinesMax),
});
export type LogSearch = z.infer<typeof logSearchSchema>;

const foundLineSchema = z.object({
  serviceId: z.string(),
  /** Docker's time in microseconds, increased where two would be equal. Ids of a service increase in the order of its log. */
  id: z.number().int(),
  /** `access`: a request, in the log of requests. */
  stream: z.enum(['stdout', 'stderr', 'system', 'access']),
  /** null: the line names none. */
  level: z.enum(logLevels).nullable(),
  /** Of the container that printed it; null: the platform does not know. */
  deploymentId: z.string().nullable(),
  /** Number of the container that printed it, from 1; absent: the service had only one, or the runner is older. */
  replica: z.number().int().positive().optional(),
  line: z.string(),
});
export type FoundLine = z.infer<typeof foundLineSchema>;

/** Why a search ended: the log has no more lines in this direction, or one of the limits of a search was reached. */
export const searchEnds = ['end', 'lines', 'size', 'bytes', 'time'] as const;

export const logSearchAnswerSchema = z.union([
  z.object({
    lines: z.array(foundLineSchema),
    /**
     * Where the next search goes on, for each service; `last`: id of the last line that was kept when the search began, 0 if there was
     * none.
     */
    services: z.array(
      z.object({ serviceId: z.string(), from: z.number().int().nullable(), last: z.number().int() }),
    ),
    stopped: z.enum(searchEnds),
    /** Bytes of log that were read. */
    scannedBytes: z.number().int(),
  }),
  /** The search was not started; `reason` is a sentence. */
  z.object({ refused: z.enum(['invalid', 'busy']), reason: z.string() }),
]);
export type LogSearchAnswer = z.infer<typeof logSearchAnswerSchema>;
