import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lacksAppArmorTools } from '../../../local/setup/apparmor.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

test.each([undefined, 'N\n'])('no tools are missing on a kernel with AppArmor off: %s', async (text) => {
  const file = join(temporaryDirectory(), 'enabled');
  if (text !== undefined) writeFileSync(file, text);
  expect(await lacksAppArmorTools(file)).toBe(false);
});
