import { expect, test } from 'vitest';
import { skippedObjects } from '../../../../../runner/engines/postgres/archive/skipped-objects.ts';

const errors = `pg_restore: while PROCESSING TOC:
pg_restore: from TOC entry 3380; 3256 16437 POLICY mine p app
pg_restore: error: could not execute query: ERROR:  role "reader" does not exist
Command was: CREATE POLICY p ON public.mine TO reader USING (true);


pg_restore: error: COPY failed for table "mine": ERROR:  function helper(text) does not exist
LINE 1: helper(t)
`;
const ended = (count: number) => `pg_restore: warning: errors ignored on restore: ${count}\n`;

test('each object that pg_restore has left out is named with its reason', () => {
  expect(skippedObjects(errors + ended(2))).toEqual([
    'POLICY mine p app: ERROR:  role "reader" does not exist.',
    'COPY failed for table "mine": ERROR:  function helper(text) does not exist.',
  ]);
});

test.each([
  ['did not go on to the end', errors],
  ['printed more errors than are known', errors + ended(3)],
  [
    'lost the server',
    `${errors}pg_restore: error: could not execute query: no connection to the server\n${ended(3)}`,
  ],
  [
    'filled the disk',
    `${errors}pg_restore: error: ERROR:  could not extend file "base/1": No space left on device\n${ended(3)}`,
  ],
])('nothing is left out when pg_restore %s', (_, stderr) => {
  expect(() => skippedObjects(stderr)).toThrow(/could not load the dump|more than an import can list/);
});
