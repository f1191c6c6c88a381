/** What the process that stays loads: each module that it loads stays in memory for as long as the instance runs. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const keeper = fileURLToPath(new URL('../../../local/run-instance.ts', import.meta.url));

/** Prints every module that the import loads, Node's own included. */
const program = `
  const { registerHooks } = process.getBuiltinModule('node:module');
  const loaded = [];
  registerHooks({ resolve(name, context, next) { const found = next(name, context); loaded.push(found.url); return found; } });
  await import(process.argv[1]);
  process.stdout.write(JSON.stringify([...loaded, ...process.moduleLoadList]));
`;

test('the process that stays loads no package and no second HTTP client', { tags: 'slow' }, () => {
  const modules: string[] = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program, keeper], { encoding: 'utf8' }),
  );
  expect(modules).toContainEqual(expect.stringContaining('local/keeper/keeper.ts'));
  expect(modules.filter((name) => /node_modules|undici/.test(name))).toEqual([]);
});
