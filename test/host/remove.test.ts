import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { placesUnder } from '../../host/places.ts';
import { remove } from '../../host/remove.ts';
import { createOutput } from '../../local/output.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';

test.each([
  { purge: false, caddyStays: true },
  { purge: true, caddyStays: false },
])(
  'a removal with purge: $purge leaves data, no programs, and Caddy: $caddyStays',
  async ({ purge, caddyStays }) => {
    const places = placesUnder(temporaryDirectory());
    const caddy = join(places.tools, 'caddy');
    const programs = [places.command, join(places.home, 'releases/1/runner.mjs')];
    const data = join(places.data, 'journal.db');
    for (const file of [...programs, caddy, data]) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, '');
    }
    const output = createOutput({ write: () => {}, colour: false, now: () => 0 });
    expect(await remove(places, { purge }, output)).toBe(0);
    expect(programs.filter((file) => existsSync(file))).toEqual([]);
    expect([existsSync(caddy), existsSync(data)]).toEqual([caddyStays, true]);
  },
);
