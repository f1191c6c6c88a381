import { z } from 'zod';
import { safeParseUntrusted } from '../../protocol/untrusted/safe-parse.ts';
import { ApiError } from '../domain/errors.ts';
import { readJson } from '../domain/values/json-text.ts';
import { issueSentence, predicateOf } from './issue-sentence.ts';

/**
 * Parses and checks a JSON body. An empty body counts as `undefined`, which a schema may allow. Numbers that would be rounded are refused,
 * because they may be values for database rows.
 * @throws ApiError `malformed_json`, `invalid_request`.
 */
export function parseBody<Body>(schema: z.ZodType<Body>, text: string): Body {
  return check(schema, text.trim() === '' ? undefined : readJson(text, { exactNumbers: true }), 'field');
}

const noFields = z.strictObject({}).optional();

/**
 * For routes without a body: an empty body and `{}` are accepted. A body with fields is refused rather than silently ignored.
 * @throws ApiError `malformed_json`, `invalid_request`.
 */
export function assertNoFields(text: string): void {
  parseBody(noFields, text);
}

/** @throws ApiError `invalid_request`. */
export function parseQuery<Query>(schema: z.ZodType<Query>, url: string): Query {
  const parameters = [...new URL(url).searchParams];
  const values = Object.fromEntries(parameters);
  if (Object.keys(values).length < parameters.length) {
    throw new ApiError('invalid_request', 'The query names a parameter twice: name each at most once.');
  }
  // A schema for any names ignores this one without an error.
  if (Object.hasOwn(values, '__proto__'))
    throw new ApiError('invalid_request', 'The query parameter "__proto__" is not known here.');
  return check(schema, values, 'query parameter');
}

/** @throws ApiError `invalid_request`; its message mentions the first invalid `part`. */
export function check<Value>(schema: z.ZodType<Value>, value: unknown, part: string): Value {
  const parsed = safeParseUntrusted(schema, value, { error: predicateOf });
  if (parsed.success) return parsed.data;
  throw new ApiError('invalid_request', issueSentence(parsed.error, part));
}
