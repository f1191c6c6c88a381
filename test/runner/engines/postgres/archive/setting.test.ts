import { expect, test } from 'vitest';
import { setClause } from '../../../../../runner/engines/postgres/archive/setting.ts';

test.each([
  ['search_path=app_s, public', `SET "search_path" TO 'app_s', 'public'`],
  ['search_path="$user", "a, b","quo""te"', `SET "search_path" TO '$user', 'a, b', 'quo"te'`],
  ['search_path=""', `SET "search_path" TO ''`],
  ['search_path=', `SET "search_path" TO ''`],
  ["search_path=päß, it's", `SET "search_path" TO 'päß', 'it''s'`],
  ['temp_tablespaces=fast , slow', `SET "temp_tablespaces" TO 'fast', 'slow'`],
  ['DateStyle=ISO, DMY', `SET "DateStyle" TO 'ISO, DMY'`],
  ['my.own=a, "b"', `SET "my.own" TO 'a, "b"'`],
  ['work_mem=5MB', `SET "work_mem" TO '5MB'`],
])('the stored setting %s is set again as it is', (stored, clause) => {
  expect(setClause(stored)).toBe(clause);
});
