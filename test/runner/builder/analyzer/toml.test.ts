/** Manifests in every form that TOML allows, and files that are none. */
import { describe, expect, test } from 'vitest';
import { detect } from '../../../../runner/builder/analyzer/detect.ts';
import { memoryFiles } from '../../../support/runner/memory-files.ts';
import { overridesOf, planOf } from './providers/plans.ts';

type Files = Record<string, string>;
const note = async (files: Files) => (await planOf(files)).notes;
const commands = async (files: Files) =>
  (await planOf(files)).build.steps.flatMap((step) => (step.type === 'run' ? [step.command] : []));

describe('a Cargo.toml', () => {
  test.each([
    ['literal strings', "[package]\nname = 'shop'"],
    ['a dotted key', 'package.name = "shop"'],
    ['an inline table', 'package = { name = "shop", edition = "2024" }'],
    ['blanks in the header, a comment and CRLF', '[ package ] # the server\r\nname = "shop"\r\n'],
    [
      'a header inside of a text',
      '[package]\ndescription = """\n[package]\nname = "other"\n"""\nname = "shop"',
    ],
  ])('with %s has the name of its program', async (_, manifest) => {
    expect(await note({ 'Cargo.toml': manifest, 'src/main.rs': '' })).toContain('Program: shop');
  });

  test('lists its programs in an array', async () => {
    const manifest = '[package]\nname = "x"\n';
    const files = {
      'Cargo.toml': `bin = [\n  { name = "serve", path = "src/serve.rs" }, # [main]\n]\n${manifest}`,
    };
    expect(await note(files)).toContain('Program: serve');
  });

  test('lists members with brackets in comments', async () => {
    const files = {
      'Cargo.toml': "[workspace]\nmembers = [\n  # [old]: 'a',\n  'services/web/api/server',\n]",
      'services/web/api/server/Cargo.toml': '[package]\nname = "server"',
      'services/web/api/server/src/main.rs': '',
    };
    expect(await note(files)).toContain('Program: server');
  });

  test('takes no framework from the dependencies of its tests', async () => {
    const manifest = '[package]\nname = "x"\n[dev-dependencies]\naxum = "0.8"\n';
    expect((await planOf({ 'Cargo.toml': manifest, 'src/main.rs': '' })).framework).toBeNull();
  });

  test.each([
    ["shared = { path = '../shared' }", 'repository'],
    ['shared = "1" # { path = "../shared" }', undefined],
  ])('with %s has the scope %s', async (dependency, scope) => {
    const files = {
      'web/Cargo.toml': `[package]\nname = "web"\n[dependencies]\n${dependency}`,
      'web/src/main.rs': '',
    };
    const plan = await detect(memoryFiles(files, 'web'), overridesOf());
    expect(plan.scope).toBe(scope);
  });
});

describe('a pyproject.toml', () => {
  const app = { 'main.py': 'app = FastAPI()' };

  test.each([
    ['an inline table', 'project = { dependencies = ["fastapi[standard]"], requires-python = "==3.11.*" }'],
    ['quoted keys', '[project]\n"requires-python" = "==3.11.*"\ndependencies = [\'fastapi[standard]\']'],
    [
      'the extras of Poetry',
      '[tool.poetry.dependencies]\npython = "3.11.*"\nfastapi = { version = "*", extras = ["standard"] }',
    ],
  ])('with %s has its version and its server', async (_, project) => {
    const plan = await planOf({ ...app, 'pyproject.toml': project });
    expect(plan.framework).toBe('fastapi');
    expect(plan.notes[0]).toMatch(/^Python 3.11 \(pyproject.toml\)/);
  });

  test('uses no library that only a comment or a description mentions', async () => {
    const project =
      '[project]\ndescription = "moved from flask to plain sockets"\n# dependencies = ["flask"]';
    expect((await planOf({ 'main.py': '', 'pyproject.toml': project })).framework).toBeNull();
  });

  test('has a workspace of uv in an inline table', async () => {
    const project = '[tool.uv]\nworkspace = { members = ["api"] }';
    const files = { 'main.py': '', 'uv.lock': '', 'pyproject.toml': project };
    expect(await commands(files)).toContain('uv sync --locked --no-dev --all-packages');
  });

  test('installs git for a library from a repository', async () => {
    const project =
      '[project]\ndependencies = ["a"]\n[tool.uv.sources]\na = { git = "https://example.org/a" }';
    expect((await planOf({ 'main.py': '', 'pyproject.toml': project })).build.packages).toContain('git');
  });
});

test.each([
  ['python = { version = "3.11" }', '3.11 (mise.toml)'],
  ["python = ['3.11', '3.12']", '3.11 (mise.toml)'],
  ['[env]\npython = "3.11"', '3.13 (default)'],
])('mise.toml with %s', async (tools, version) => {
  expect((await note({ 'main.py': '', 'mise.toml': `[tools]\n${tools}` }))[0]).toContain(version);
});

describe('a file that is no TOML', () => {
  const broken = '[project]\nname = "shop"\nversion =\n';
  const reason = 'is not valid TOML: invalid value (line 3).';

  test.each<[string, Files]>([
    ['Cargo.toml', { 'src/main.rs': '' }],
    ['rust-toolchain.toml', { 'Cargo.toml': '[package]\nname = "x"', 'src/main.rs': '' }],
    ['mise.toml', { 'main.py': '' }],
    ['pyproject.toml', {}],
    ['pyproject.toml', { 'uv.lock': '' }],
    ['pyproject.toml', { 'poetry.lock': '' }],
  ])('%s is refused with its line', async (path, more) => {
    await expect(planOf({ ...more, [path]: broken })).rejects.toThrow(`${path} ${reason}`);
  });

  test('does not matter where nothing reads it', async () => {
    const files = { 'pyproject.toml': broken, 'main.py': '' };
    expect((await planOf({ ...files, 'requirements.txt': 'flask' })).framework).toBe('flask');
    expect((await planOf({ ...files, 'package.json': '{"scripts":{"start":"node ."}}' })).provider).toBe(
      'node',
    );
  });
});

describe('a hostile file', () => {
  test.each([
    ['a list in a list', `a = ${'['.repeat(100_000)}`, 'excessively nested structures'],
    ['a very large file', '[a]\n'.repeat(250_000), 'is larger than 128 KiB'],
  ])('with %s is refused', async (_, text, reason) => {
    await expect(planOf({ 'Cargo.toml': text })).rejects.toThrow(reason);
  });

  test('with a key of 60,000 parts, or with keys of JavaScript, is only a project without programs', async () => {
    for (const text of [`[${'a.'.repeat(60_000)}a]`, '[__proto__.package]\nname = "x"\n[constructor]\n'])
      await expect(planOf({ 'Cargo.toml': text })).rejects.toThrow('describes no program');
  });
});
