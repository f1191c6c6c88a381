/** Repositories with several modules of Go: what is offered can be built. */
import { expect, test } from 'vitest';
import { planOf } from './plans.ts';

const program = 'package main\nfunc main() {}';
const nested = (name: string) => ({
  [`${name}/go.mod`]: `module example.com/${name}\n`,
  [`${name}/main.go`]: program,
});
const root = { 'go.mod': 'module example.com/all\n\ngo 1.24\n' };

test('programs that are modules of their own are offered by rootDir, those of the module by GO_PACKAGE', async () => {
  await expect(planOf({ ...root, ...nested('hello'), ...nested('helloserver') })).rejects.toThrow(
    /^Several programs are modules of their own: set rootDir to one of hello, helloserver\.$/,
  );
  await expect(planOf({ ...root, ...nested('hello'), 'template/a.go': program })).rejects.toThrow(
    /^A program is a module of its own: set rootDir to hello\. For \.\/template, set the variable GO_PACKAGE, for example to \.\/template\.$/,
  );
  await expect(planOf({ ...root, 'a/a.go': program, 'b/a.go': program })).rejects.toThrow(
    /GO_PACKAGE, for example to \.\/a/,
  );
});

test('a chosen package that cannot be built is refused with the way out', async () => {
  const files = { ...root, ...nested('hello'), 'cmd/api/a.go': program };
  await expect(planOf(files, { env: { GO_PACKAGE: './hello' } })).rejects.toThrow(
    'The variable GO_PACKAGE is ./hello, which is a module of its own: set rootDir to hello, and remove the variable.',
  );
  await expect(planOf(files, { env: { GO_PACKAGE: './gone' } })).rejects.toThrow(/has no such directory/);
  expect((await planOf(files, { env: { GO_PACKAGE: './cmd/api' } })).notes).toContain(
    'Main package: ./cmd/api',
  );
});

test('modules of tools, workspaces and a main program are no reason to ask', async () => {
  expect((await planOf({ ...root, ...nested('tools'), 'server/a.go': program })).notes).toContain(
    'Main package: ./server',
  );
  expect((await planOf({ ...root, ...nested('other'), 'main.go': program })).notes).toContain(
    'Main package: .',
  );
  const workspace = { 'go.work': 'go 1.24\nuse ./api\n', ...nested('api') };
  expect((await planOf(workspace)).notes).toContain('Main package: ./api');
});
