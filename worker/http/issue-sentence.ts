/**
 * Turns a schema error into one sentence with the wrong field and its correction.
 * Schemas provide predicates ("must be a port from 1 to 65535"); zod's own errors get their predicate here.
 */
import type { z } from 'zod';

/** Fields that are in replies, but that no body may set. */
const readOnlyFields = new Set([
  'id',
  'projectId',
  'slug',
  'hasGitHostToken',
  'detectedBuildMethod',
  'databaseImage',
  'hostPort',
  'status',
  'reachable',
  'localUrl',
  'primaryUrl',
  'preferredDomain',
  'framework',
  'lastDeployedAt',
  'createdAt',
  'updatedAt',
  'serviceCount',
  'lastUpdatedAt',
  'services',
]);

/** @param part the sentence's word for a field: `field` or `query parameter`. */
export function issueSentence(error: z.ZodError, part: string): string {
  const [issue] = error.issues;
  if (!issue) return 'The request is not valid.';
  if (issue.code === 'unrecognized_keys') return unknownKeySentence(issue.keys[0] ?? '', issue.path, part);
  if (issue.path.length === 0) return `The body ${issue.message}.`;
  return `The ${part} ${fieldName(issue.path)} ${issue.message}.`;
}

/** For `safeParse(value, {error: predicateOf})`: predicates for zod's own errors. A schema's own message takes precedence. */
export function predicateOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== 'unrecognized_keys' && issue.input === undefined) return 'is missing';
  if (issue.code !== 'unrecognized_keys' && issue.input === null) return "can't be null";
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${choiceText(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'invalid_union':
      return 'matches none of the accepted forms';
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? `is too short: at least ${issue.minimum}`
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array'
        ? `is too long: at most ${issue.maximum}`
        : `must be at most ${issue.maximum}`;
    default:
      return 'is not valid';
  }
}

/** `"a"`, `"a" or "b"`, `one of "a", "b" or "c"`. */
export const choiceText = (values: readonly string[]) =>
  values.length < 3 ? values.join(' or ') : `one of ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  record: 'a JSON object',
  array: 'a list',
};

function unknownKeySentence(key: string, path: readonly PropertyKey[], part: string): string {
  const name = fieldName([...path, key]);
  if (path.length === 0 && readOnlyFields.has(key)) {
    return `The ${part} ${name} is read-only here: leave it out.`;
  }
  return `The ${part} ${name} does not exist: leave it out, or check its spelling.`;
}

/** `"env[0].key"`, with quotes. Truncated, because it repeats client input. */
function fieldName(path: readonly PropertyKey[]): string {
  const text = path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      return index === 0 ? String(step) : `.${String(step)}`;
    })
    .join('');
  return `"${text.slice(0, 100)}"`;
}
