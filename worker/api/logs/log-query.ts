/** The query of a search in kept logs. */
import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import {
  accessLogOf,
  foundLinesMax,
  type LogLevel,
  logLevels,
  logOrigins,
  searchedServicesMax,
  searchFieldsMax,
  searchTextMax,
} from '../../../protocol/logs/kept-logs.ts';
import { ApiError } from '../../domain/errors.ts';
import { type LogPositions, logCursorCharsMax, parseLogCursor } from '../../domain/logs/log-cursor.ts';
import { isStaticSite } from '../../domain/services/service-kind.ts';
import { integerParameter } from '../../http/paging.ts';
import type { SearchedServiceRow } from '../../store/logs/log-search-store.ts';
import type { LogQuery } from '../../usecases/logs/search-logs.ts';

const fieldPrefix = 'field.';
const timeRule = 'must be a time such as 2026-11-24T10:00:00Z';
const time = z.iso.datetime({ offset: true, error: timeRule });
const text = z
  .string()
  .min(1, 'is empty: leave it out to get all lines')
  .max(searchTextMax, `must have at most ${searchTextMax} characters`);

const filters = {
  text: text.describe('Only lines that contain this text, exactly.').optional(),
  regex: text
    .describe(
      'Only lines in which this regular expression is found, in the syntax of RE2: `(?i)timeout|refused`.',
    )
    .optional(),
  level: z
    .enum(logLevels)
    .describe(
      'Only lines of this level and of more severe ones. It is read from JSON, logfmt and common formats.',
    )
    .optional(),
  deploymentId: idSchema('deployment').describe('Only lines of this deployment.').optional(),
  source: z
    .enum(logOrigins)
    .describe('Only what the app and the platform print, or only requests; absent: both.')
    .optional(),
};
/** Parameters of one page of a search. */
export const logPage = {
  ...filters,
  since: time.describe('Only lines from this time on.').optional(),
  until: time.describe('Only lines before this time.').optional(),
  order: z.enum(['newest', 'oldest']).default('newest').describe('Which lines come first.'),
  limit: integerParameter(1, foundLinesMax).default(200),
  cursor: z
    .string()
    .max(logCursorCharsMax)
    .describe('`nextCursor` of the page before, with the same other parameters.')
    .optional(),
};
const services = {
  services: z
    .string()
    .max(1_000)
    .describe('Ids or slugs of services, with commas between them; absent: all services, at most 20.')
    .optional(),
};

/** Other parameters are `field.<name>`. */
const withFields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .object(shape)
    .catchall(z.string().max(searchTextMax))
    .superRefine((query, context) => {
      const others = Object.keys(query).filter((name) => !Object.hasOwn(shape, name));
      const unknown = others.find((name) => !name.startsWith(fieldPrefix) || name === fieldPrefix);
      const message = 'is not known here: a field of JSON lines is "field.<name>", such as field.status=500';
      if (unknown !== undefined) context.addIssue({ code: 'custom', path: [unknown], message });
      else if (others.length > searchFieldsMax)
        context.addIssue({
          code: 'custom',
          path: [others[searchFieldsMax] ?? ''],
          message: `is one too many: at most ${searchFieldsMax} fields are compared`,
        });
    });

export const serviceLogPage = withFields(logPage);
export const projectLogPage = withFields({ ...logPage, ...services });
const followed = {
  ...filters,
  lines: integerParameter(0, foundLinesMax).default(200).describe('Lines of the past that come first.'),
};
export const serviceLogFollow = withFields(followed);
export const projectLogFollow = withFields({ ...followed, ...services });

type Filters = z.infer<z.ZodObject<typeof filters>>;

/** The filters of a search, without its order. */
export function filtersOf(
  query: Filters,
): Pick<LogQuery, 'text' | 'regex' | 'levels' | 'fields' | 'deploymentId'> {
  const { text: contained, regex, level, deploymentId } = query;
  const fields = Object.entries(query)
    .filter(([name]) => name.startsWith(fieldPrefix))
    .map(([name, value]) => ({ path: name.slice(fieldPrefix.length), value: String(value) }));
  return {
    ...(contained === undefined ? {} : { text: contained }),
    ...(regex === undefined ? {} : { regex }),
    ...(level === undefined ? {} : { levels: levelsFrom(level) }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(deploymentId === undefined ? {} : { deploymentId }),
  };
}

const levelsFrom = (least: LogLevel): LogLevel[] => logLevels.slice(logLevels.indexOf(least));

/** @returns microseconds since the epoch */
export const microsecondsOf = (at: string): number => Date.parse(at) * 1000;

/** @throws ApiError `invalid_request` */
export function positionsOf(
  parameter: string,
  cursor: string | undefined,
  searched: readonly SearchedServiceRow[],
): LogPositions {
  if (cursor === undefined) return new Map();
  const ids = searched.flatMap(({ id }) => [id, accessLogOf(id)]);
  const positions = parseLogCursor(cursor, ids);
  if (positions) return positions;
  throw new ApiError(
    'invalid_request',
    `${parameter} must be what an answer for the same services has given; leave it out to begin.`,
  );
}

/**
 * The services of a project to search. Without a choice: all that run containers.
 * @throws ApiError `invalid_request`
 */
export function chosenServices(
  all: readonly SearchedServiceRow[],
  names: string | undefined,
): SearchedServiceRow[] {
  const wanted = names?.split(',').map((name) => name.trim());
  const chosen = wanted
    ? [...new Set(wanted)].map((name) => all.find(({ id, slug }) => id === name || slug === name) ?? name)
    : all.filter((service) => !isStaticSite(service));
  const unknown = chosen.find((one) => typeof one === 'string');
  if (unknown !== undefined)
    throw new ApiError(
      'invalid_request',
      `The query parameter "services" names "${unknown.slice(0, 100)}", which is no id or slug of a service of this project.`,
    );
  if (chosen.length <= searchedServicesMax) return chosen.filter((one) => typeof one !== 'string');
  throw new ApiError(
    'invalid_request',
    `The query parameter "services" must name at most ${searchedServicesMax} services; the project has ${all.length}.`,
  );
}
