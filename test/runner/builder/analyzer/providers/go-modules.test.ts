/** Repositories with several modules of Go: what is offered can be built. */
import { expect, test } from 'vitest';
import type { BuildPlan } from '../../../../../runner/builder/analyzer/build-plan.ts';
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

const commandsOf = ({ build }: BuildPlan) =>
  build.steps.flatMap((step) => (step.type === 'run' ? [step.command.replace(/-trimpath.*app /, '')] : []));

test('a program below a module is built in the nearest module above it, at any depth', async () => {
  const files = {
    ...nested('backend'),
    'backend/go.sum': '',
    'backend/cmd/api/main.go': program,
    'backend/cmd/api/views/a.html': '',
  };
  const plan = await planOf(files, {}, 'backend/cmd/api');
  expect(plan).toMatchObject({
    provider: 'go',
    scope: 'repository',
    output: { directory: '/app/backend/cmd/api', sources: ['backend/cmd/api/views/'] },
  });
  expect(commandsOf(plan)).toEqual([
    'cd /app/backend && go mod download',
    'cd /app/backend && go build ./cmd/api',
  ]);
  expect(plan.build.steps).toContainEqual({ type: 'copy', paths: ['backend/go.mod', 'backend/go.sum'] });
});

test.each<[string, Record<string, string>]>([
  ['workspace', { 'go.work': 'go 1.24\n\nuse (\n\t./api\n\t./shared\n)\n' }],
  [
    'replace line',
    { 'api/go.mod': 'module example.com/api\n\nreplace example.com/shared => ../shared // ours\n' },
  ],
])('a module gets the modules beside it that its %s names', async (_, more) => {
  const files = { ...nested('api'), 'api/go.sum': '', ...nested('shared'), ...more };
  const plan = await planOf(files, {}, 'api');
  expect(plan).toMatchObject({ scope: 'repository', output: { directory: '/app/api' } });
  expect(commandsOf(plan)).toEqual(['cd /app/api && go build .']);
});

test('a module that its repository has only beside others is built alone', async () => {
  const files = { ...nested('api'), ...nested('shared'), 'go.work': 'go 1.24\nuse ./shared\n' };
  const plan = await planOf(files, {}, 'api');
  expect(plan.scope).toBeUndefined();
  expect(commandsOf(plan)).toEqual(['go build .']);
});

test('the only program of a workspace is found below its module, and several are offered', async () => {
  const workspace = {
    'go.work': 'go 1.24\nuse (\n\t./api\n\t./jobs\n\t./shared\n)\n',
    'api/go.mod': 'module example.com/api\n',
    'api/cmd/server/main.go': program,
    'shared/go.mod': 'module example.com/shared\n',
    'shared/tools/gen.go': program,
  };
  expect((await planOf(workspace)).notes).toContain('Main package: ./api/cmd/server');
  const jobs = { 'jobs/go.mod': 'module example.com/jobs\n', 'jobs/cmd/mail/main.go': program };
  await expect(planOf({ ...workspace, ...jobs })).rejects.toThrow(
    'There are several programs (./api/cmd/server, ./jobs/cmd/mail): set the variable GO_PACKAGE',
  );
});
