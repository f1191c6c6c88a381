/** The query of a search in kept logs. */
import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import {
  accessLogOf,
  foundLinesMax,
  histogramBucketsMax,
  logOrigins,
  searchedServicesMax,
  searchFieldsMax,
  searchTextMax,
} from '../../../protocol/logs/kept-logs.ts';
import { type LogLevel, logLevels } from '../../../protocol/logs/log-levels.ts';
import type { LogQuery } from '../../../protocol/logs/query/log-query.ts';
import { InvalidLogQuery, parseLogQuery } from '../../../protocol/logs/query/parse-log-query.ts';
import { queryCharsMax } from '../../../protocol/logs/query/query-parts.ts';
import { ApiError } from '../../domain/errors.ts';
import { type LogPositions, logCursorCharsMax, parseLogCursor } from '../../domain/logs/log-cursor.ts';
import { isStaticSite } from '../../domain/services/service-kind.ts';
import { integerParameter } from '../../http/paging.ts';
import type { SearchedServiceRow } from '../../store/logs/log-search-store.ts';
import type { HostQuery } from '../../usecases/logs/search-logs.ts';

const fieldPrefix = 'field.';
/** Most lines before and after a line. */
const aroundMax = 500;
const timeRule = 'must be a time such as 2026-11-24T10:00:00Z';
const time = z.iso.datetime({ offset: true, error: timeRule });
const text = z
  .string()
  .min(1, 'is empty: leave it out to get all lines')
  .max(searchTextMax, `must have at most ${searchTextMax} characters`);

const filters = {
  query: text
    .max(queryCharsMax, `must have at most ${queryCharsMax} characters`)
    .describe(
      'Words that a line contains, `"phrases"`, `-not`, `level:error,warn`, `service:web`, fields such as `status:>=500`, and `OR` (docs/guide/logs.md).',
    )
    .optional(),
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

const histogram = {
  ...filters,
  since: time.describe('Begin of the range; absent: an hour before its end.').optional(),
  until: time.describe('End of the range; absent: now.').optional(),
  buckets: integerParameter(1, histogramBucketsMax)
    .default(60)
    .describe('Number of equal parts of the range.'),
  cursor: logPage.cursor,
};
export const serviceLogHistogram = withFields(histogram);
export const projectLogHistogram = withFields({ ...histogram, ...services });
export const serviceLogAround = z.strictObject({
  line: z
    .string()
    .regex(/^\d{1,16}$/, 'must be the id of a line')
    .describe('Id of a line. Its neighbours are answered, whatever they contain. Absent: now.')
    .meta({ examples: ['1790000000123456'] })
    .optional(),
  before: integerParameter(0, aroundMax).default(50).describe('Number of lines before it.'),
  after: integerParameter(0, aroundMax).default(50).describe('Number of lines after it.'),
  source: filters.source,
});

type Filters = z.infer<z.ZodObject<typeof filters>>;

/**
 * The filters of a search, without its order.
 * @throws ApiError `invalid_request` for a wrong `query`
 */
export function filtersOf(
  asked: Filters,
  searched: readonly SearchedServiceRow[],
): Pick<HostQuery, 'query' | 'text' | 'regex' | 'levels' | 'fields' | 'deploymentId'> {
  const { text: contained, regex, level, deploymentId } = asked;
  const query = asked.query === undefined ? undefined : parsedQuery(asked.query, searched);
  const fields = Object.entries(asked)
    .filter(([name]) => name.startsWith(fieldPrefix))
    .map(([name, value]) => ({ path: name.slice(fieldPrefix.length), value: String(value) }));
  return {
    ...(query === undefined ? {} : { query }),
    ...(contained === undefined ? {} : { text: contained }),
    ...(regex === undefined ? {} : { regex }),
    ...(level === undefined ? {} : { levels: levelsFrom(level) }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(deploymentId === undefined ? {} : { deploymentId }),
  };
}

/** The parsed query, with ids in place of the names of services. */
function parsedQuery(text: string, searched: readonly SearchedServiceRow[]): LogQuery | undefined {
  try {
    return parseLogQuery(text)?.map((terms) =>
      terms.map((term) =>
        term.kind === 'service'
          ? { ...term, services: term.services.map((name) => serviceNamed(name, text, searched)) }
          : term,
      ),
    );
  } catch (error) {
    if (!(error instanceof InvalidLogQuery)) throw error;
    throw new ApiError(
      'invalid_request',
      `The query parameter "query" is wrong at character ${error.position}. ${error.message}`,
    );
  }
}

/** @throws InvalidLogQuery */
function serviceNamed(name: string, text: string, searched: readonly SearchedServiceRow[]): string {
  const wanted = name.toLowerCase();
  const found = searched.find(
    ({ id, slug, name: full }) => [id, slug, full.toLowerCase()].includes(wanted) || id === name,
  );
  if (found) return found.id;
  const known = searched.slice(0, 10).map(({ slug }) => slug);
  throw new InvalidLogQuery(
    text.indexOf(name) + 1,
    `No searched service is called "${name.slice(0, 60)}". Searched: ${known.join(', ')}${searched.length > known.length ? ' and others' : ''}.`,
  );
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
