/** Final images hold no development dependencies: real builds with package managers that have no prune of their own for workspaces. */
import { expect, test } from 'vitest';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();

/** Answers with the packages that it finds; a development dependency is `left-pad`, of the root `is-odd`, other ones `ms`. */
const server = `
const found = (name) => { try { return require(name) && name; } catch { return 'no ' + name; } };
const { existsSync, readdirSync } = require('node:fs');
const stored = existsSync('/app/node_modules/.pnpm') ? readdirSync('/app/node_modules/.pnpm').filter((name) => /^(left-pad|is-odd)@/.test(name)) : [];
const text = [found('ms'), found('library'), found('left-pad'), found('is-odd'), ...stored, require('node:fs').readFileSync('built', 'utf8')].join(', ');
require('node:http').createServer((_, response) => response.end(text)).listen(process.env.PORT);
`;

/** A workspace whose install runs a script that needs a development dependency, as husky does. */
const workspace = (root: object, dependency: string) => ({
  'package.json': JSON.stringify({
    name: 'root',
    private: true,
    scripts: { postinstall: 'node -e "require(\'is-odd\')"' },
    devDependencies: { 'is-odd': '3.0.1' },
    ...root,
  }),
  'packages/library/package.json': JSON.stringify({ name: 'library', version: '1.0.0', main: 'index.js' }),
  'packages/library/index.js': 'module.exports = 1;',
  'apps/web/package.json': JSON.stringify({
    name: 'web',
    version: '1.0.0',
    scripts: {
      build: "node -e \"require('left-pad'); require('node:fs').writeFileSync('built', 'built')\"",
      start: 'node server.js',
    },
    dependencies: { library: dependency, ms: '2.1.3' },
    devDependencies: { 'left-pad': '1.3.0' },
  }),
  'apps/web/server.js': server,
});

test.each([
  [
    'pnpm',
    {
      ...workspace({ packageManager: 'pnpm@10.11.0' }, 'workspace:*'),
      'pnpm-workspace.yaml': 'packages: ["apps/*", "packages/*"]\n',
    },
  ],
  [
    'Yarn 4',
    {
      ...workspace({ packageManager: 'yarn@4.5.0', workspaces: ['apps/*', 'packages/*'] }, 'workspace:*'),
      '.yarnrc.yml': 'enableImmutableInstalls: false\n',
    },
  ],
])(
  'a workspace of %s is built with its development dependencies and runs without them',
  async (name, files) => {
    const repository = name.replace(' ', '-').toLowerCase();
    fixture.commit(repository, files);
    const spec = fixture.spec({ source: fixture.gitSource(repository, { rootDir: 'apps/web' }) });
    const { result, context } = await fixture.deploy(spec);
    expect(result.outcome, context.text()).toBe('succeeded');
    expect(await fixture.answer(spec)).toBe('ms, library, no left-pad, no is-odd, built');
  },
);
