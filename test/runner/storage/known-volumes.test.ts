import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { knownVolumes } from '../../../runner/storage/known-volumes.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

test('a volume can be removed while its record can not be written, and the record is made up for later', () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'known-volumes.json');
  const known = knownVolumes(directory);
  known.add(
    new Map([
      ['one', 'svc_one'],
      ['two', 'svc_two'],
      ['three', 'svc_two'],
    ]),
  );
  renameSync(file, `${file}.kept`);
  mkdirSync(join(file, 'in the way'), { recursive: true });
  known.remove('one');
  known.removeOf('svc_two');
  expect(known.has('one')).toBe(false);
  rmSync(file, { recursive: true });
  renameSync(`${file}.kept`, file);
  expect(knownVolumes(directory).has('one')).toBe(true);
  known.add(new Map());
  expect([...knownVolumes(directory).all()]).toEqual([]);
});
