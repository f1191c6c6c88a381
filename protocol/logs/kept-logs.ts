/** Searches in the logs that a host keeps. */
import { z } from 'zod';
import { logLevels } from './log-levels.ts';
import { logQuerySchema } from './query/log-query.ts';

/** Most services in one search. */
export const searchedServicesMax = 20;
/** Searched logs: the output of the app, or its requests. */
export const logOrigins = ['app', 'access'] as const;
/** Most logs in one search: each service has two. */
const searchedLogsMax = 2 * searchedServicesMax;
const accessSuffix = '-access';
/**
 * The id of the log of a service's requests. It is separate from the output of the containers, so that a flood of requests displaces no line of the
 * app.
 */
export const accessLogOf = (serviceId: string): string => `${serviceId}${accessSuffix}`;
export const isAccessLog = (logId: string): boolean => logId.endsWith(accessSuffix);
/** The service that a log belongs to. */
export const serviceOfLog = (logId: string): string =>
  isAccessLog(logId) ? logId.slice(0, -accessSuffix.length) : logId;

/** Most lines in one answer. */
export const foundLinesMax = 1_000;
export const searchTextMax = 500;
export const searchFieldsMax = 10;
/** Most bars of a histogram. */
export const histogramBucketsMax = 200;
/** What one search may do on a host. */
export const searchBudget = { bytes: 64 * 2 ** 20, ms: 1_500 };

export const logSearchSchema = z.object({
  /**
   * The position in each service's log from which to read: after the line with this id, or before it if the newest lines come first. null: from the
   * first line of the order.
   */
  services: z
    .array(
      z.object({
        /** A service, or the log of its requests (`accessLogOf`). */
        serviceId: z.string().regex(/^\w[\w-]*$/),
        from: z.number().int().nonnegative().nullable(),
        /** Only lines with higher ids. */
        after: z.number().int().nonnegative().optional(),
      }),
    )
    .min(1)
    .max(searchedLogsMax),
  order: z.enum(['newest', 'oldest']),
  query: logQuerySchema.optional(),
  /** The line must contain this text, exactly. */
  text: z.string().max(searchTextMax).optional(),
  /** A regular expression in the syntax of RE2. */
  regex: z.string().max(searchTextMax).optional(),
  levels: z.array(z.enum(logLevels)).optional(),
  /** Fields of a line that is a JSON object; in `path`, dots separate the names of nested fields. */
  fields: z
    .array(z.object({ path: z.string().max(searchTextMax), value: z.string().max(searchTextMax) }))
    .max(searchFieldsMax)
    .optional(),
  deploymentId: z.string().optional(),
  /** Only lines from then on, in microseconds since the epoch. */
  since: z.number().int().nonnegative().optional(),
  /** Only lines before then, in microseconds since the epoch. */
  until: z.number().int().nonnegative().optional(),
  limit: z.number().int().min(1).max(foundLinesMax),
  /** Counts the lines that match after the last one of the answer. */
  countRest: z.boolean().optional(),
  /** Counts lines by level in this number of equal parts from `since` to `until`, and answers no line. */
  buckets: z.number().int().min(1).max(histogramBucketsMax).optional(),
  /** The time that the search may take, if it is less than usual. */
  budgetMs: z.number().int().min(1).max(searchBudget.ms).optional(),
});
export type LogSearch = z.infer<typeof logSearchSchema>;

const foundLineSchema = z.object({
  serviceId: z.string(),
  /** Docker's time in microseconds, increased if two would be equal. Ids of a service increase in the order of its log. */
  id: z.number().int(),
  /** `access`: a request, from the log of requests. */
  stream: z.enum(['stdout', 'stderr', 'system', 'access']),
  /** null: the line contains no level. */
  level: z.enum(logLevels).nullable(),
  /** The deployment whose container printed the line; null: unknown. */
  deploymentId: z.string().nullable(),
  /** Number of the container that printed the line, from 1; absent: the service had only one. */
  replica: z.number().int().positive().optional(),
  line: z.string(),
});
export type FoundLine = z.infer<typeof foundLineSchema>;

const histogramPartSchema = z.object({
  /** The number of the part, from 0. */
  bucket: z.number().int().nonnegative(),
  /** Numbers of lines; `none`: they contain no level. */
  levels: z.partialRecord(z.enum([...logLevels, 'none']), z.number().int().nonnegative()),
});
export type HistogramPart = z.infer<typeof histogramPartSchema>;

/** Why a search ended: the log has no more lines in this direction, or one of the limits of a search was reached. */
export const searchEnds = ['end', 'lines', 'size', 'bytes', 'time'] as const;

export const logSearchAnswerSchema = z.union([
  z.object({
    lines: z.array(foundLineSchema),
    /** The position for the next search, for each service. `last`: id of the last kept line when the search began, or 0. */
    services: z.array(
      z.object({ serviceId: z.string(), from: z.number().int().nullable(), last: z.number().int() }),
    ),
    stopped: z.enum(searchEnds),
    /** Number of bytes of logs that were read. */
    scannedBytes: z.number().int(),
    /** Number of lines that were compared; absent: the runner knows neither `query` nor the fields after it. */
    scannedLines: z.number().int().optional(),
    /** The time that the search took, without waiting. */
    tookMs: z.number().optional(),
    /** For `countRest`: how many lines follow that match. `isComplete`: all of them were counted. */
    rest: z.object({ lines: z.number().int(), isComplete: z.boolean() }).optional(),
    /** For `buckets`: lines by level; parts without lines are absent. */
    histogram: z.array(histogramPartSchema).optional(),
  }),
  /** The search was not started; `reason` is a sentence. */
  z.object({ refused: z.enum(['invalid', 'busy']), reason: z.string() }),
]);
export type LogSearchAnswer = z.infer<typeof logSearchAnswerSchema>;
