/// <reference types="vite/client" />
/** Every rule has a log that it explains, and no rule speaks about a log of success. Fixtures: test/fixtures. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failureCodes } from '../../../../../protocol/job-report.ts';
import { type NamedSourceFile, namedSourceFiles } from '../../../../../protocol/sources/source-files.ts';
import { explanationActionSchema } from '../../../../../worker/domain/explanations/explanation-actions.ts';
import { commandOf, shellWord } from '../../../../../worker/domain/explanations/failure-rules/commands.ts';
import {
  explainFailure,
  failureRules,
} from '../../../../../worker/domain/explanations/failure-rules/explain-failure.ts';
import {
  commandTools,
  type Failed,
  type Failure,
  findIn,
} from '../../../../../worker/domain/explanations/failure-rules/failure.ts';
import { commandContainerSchema, commandSchema } from '../../../../../worker/domain/jobs/run-state.ts';
import { servicePatchSchema } from '../../../../../worker/domain/services/settings/service-settings.ts';
import {
  gitCredentialPatchSchema,
  newGitCredentialSchema,
} from '../../../../../worker/domain/sources/git-credentials.ts';
import { newRegistrySchema } from '../../../../../worker/domain/sources/registries.ts';
import { failureOf, readFixtures } from '../../../../support/worker/failure-fixtures.ts';

const keyPattern = /^[A-Z_][A-Z0-9_]*$/; // the rule for keys of variables
const failures = readFixtures(
  import.meta.glob<string>('../../../../fixtures/failures/*.log', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
const healthy = readFixtures(
  import.meta.glob<string>('../../../../fixtures/healthy-logs/*.log', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

const fixtureNamed = (name: string) => {
  const fixture = failures.find((one) => one.name === name);
  if (fixture === undefined) throw new Error(`no fixture ${name}`);
  return fixture;
};

const liveVersion = { deploymentId: 'dep_bbbbbbbbbbbbbbbb', commit: null, since: 1 };

test('each rule has its fixture, each fixture its rule, and says how it was made', () => {
  const ids = failureRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...new Set(failures.map(({ name }) => name.split('.')[0]))].sort()).toEqual([...ids].sort());
  for (const { origin } of [...failures, ...healthy]) expect(origin).toMatch(/^(made|written)/);
});

test.each(failures.map((fixture) => [fixture.name, fixture] as const))(
  'the log of %s is explained by the rule of this name',
  (name, fixture) => {
    const { rule, explanation } = explainFailure(failureOf(fixture));
    expect(rule).toBe(name.split('.')[0]);
    const { summary, likelyCause, suggestedFix, commands } = explanation;
    for (const text of [summary, likelyCause, suggestedFix, ...commands]) {
      expect(text).toMatch(/\S.{5}/);
      expect(text).not.toMatch(/undefined|NaN|\[object/);
    }
    expect(commands.length).toBeGreaterThan(0);
  },
);

describe.each(healthy.map((fixture) => [fixture.name, fixture] as const))(
  'a log of success: %s',
  (_, fixture) => {
    test.each(failureCodes)(
      'no rule finds a cause in a log of success, were the deployment to fail with %s',
      (code) => {
        const lines = fixture.lines.map(({ line }) => line);
        const failure = failureOf(fixture, { code, message: 'For another reason.', lines });
        const byLog = failureRules.filter((rule) => rule.says && findIn(failure, rule));
        expect(byLog.map(({ id }) => id)).toEqual([]);
      },
    );
  },
);

test.each(failures.map((fixture) => [fixture.name, fixture] as const))(
  'the commands of %s call the API correctly',
  (_, fixture) => {
    for (const command of explainFailure(failureOf(fixture)).explanation.commands) {
      const [, data, path] = /^curl .*-d '(.*)' https:\/\/longshore\.test(\S+)$/.exec(command) ?? [];
      if (data === undefined) continue;
      const body = JSON.parse(data);
      if (path?.endsWith('/env'))
        expect(body).toEqual({ key: expect.stringMatching(keyPattern), value: expect.anything() });
      else expect(schemaOf(path ?? '').safeParse(withoutPlaceholders(body)).error?.issues ?? []).toEqual([]);
    }
  },
);

test.each(failures.map((fixture) => [fixture.name, fixture] as const))(
  'the explanation of %s names its actions, which its commands for both tools also say',
  (_, fixture) => {
    const failure = failureOf(fixture, { previousId: 'dep_aaaaaaaaaaaaaaaa' });
    const [curl, longshore] = commandTools.map((tool) => explainFailure({ ...failure, tool }).explanation);
    const { actions = [] } = curl ?? {};
    expect(actions.length).toBeGreaterThan(0);
    expect(longshore?.actions).toEqual(actions);
    for (const [index, tool] of commandTools.entries()) {
      const { commands = [] } = [curl, longshore][index] ?? {};
      const written = actions.map((action) => commandOf({ ...failure, tool }, action));
      expect(commands).toEqual(expect.arrayContaining(written));
      const ofTool = /^(?:curl .*https:\/\/longshore\.test|longshore )/;
      expect(commands.filter((one) => ofTool.test(one))).toEqual(written);
    }
    for (const action of actions) expect(explanationActionSchema.safeParse(action).error).toBeUndefined();
  },
);

test.each(failures.map((fixture) => [fixture.name, fixture] as const))(
  'the log of %s is shown around one line, which says the error',
  (_, fixture) => {
    const failure = failureOf(fixture);
    const { lines } = explainFailure(failure);
    expect(lines.length).toBe(Math.min(10, failure.lines.length));
    expect(lines.filter(({ isError }) => isError).length).toBe(Math.min(1, lines.length));
    for (const { index, text } of lines) expect(failure.lines[index]).toBe(text);
  },
);

test('a missing variable is an action with its key, and its line in the log is the error', () => {
  const failure = failureOf(fixtureNamed('missing-variable'));
  const { explanation, lines } = explainFailure(failure);
  const [first] = explanation.actions;
  expect(first).toEqual({ kind: 'set-variable', key: expect.stringMatching(keyPattern), value: null });
  const { text } = lines.find(({ isError }) => isError) ?? expect.fail();
  expect(text).toContain(first?.kind === 'set-variable' ? first.key : '-');
});

test.each<[string, Partial<Failure>, boolean]>([
  ['a failed deployment beside a version that answers', { serving: liveVersion }, false],
  ['a failed deployment while nothing answers', { serving: null }, true],
  ['a crash', { what: { kind: 'crash' }, serving: null }, true],
  ['a crash of a version that answers again', { what: { kind: 'crash' }, serving: liveVersion }, true],
  ['a failed command', { what: { kind: 'run', id: 'cmd_1', command: 'x' }, serving: null }, false],
])('the explanation of %s offers the way back if it helps: %j %s', (_, state, isOffered) => {
  const previousId = 'dep_aaaaaaaaaaaaaaaa';
  const explained = (more: Partial<Failure>) =>
    explainFailure(failureOf(fixtureNamed('exit-1'), { ...state, ...more })).explanation;
  const isBack = ({ kind }: { kind: string }) => kind === 'rollback';
  expect(explained({ previousId }).actions.filter(isBack)).toEqual(
    isOffered ? [{ kind: 'rollback', deploymentId: previousId }] : [],
  );
  expect(explained({ previousId: null }).actions.filter(isBack)).toEqual([]);
  expect(
    explained({ previousId, tool: 'longshore' })
      .commands.join('\n')
      .includes('longshore rollback shop/web --to'),
  ).toBe(isOffered);
});

const schemaOf = (path: string) => {
  if (path === '/api/registries') return newRegistrySchema;
  if (path === '/api/git-credentials') return newGitCredentialSchema;
  if (path.endsWith('/run'))
    return z.strictObject({ command: commandSchema, container: commandContainerSchema.optional() });
  return path.startsWith('/api/git-credentials/') ? gitCredentialPatchSchema : servicePatchSchema;
};

/** Stand-ins for what only the user knows. */
function withoutPlaceholders(body: Record<string, unknown>): Record<string, unknown> {
  const known: Record<string, unknown> = {
    repoUrl: 'https://git.example.com/acme/other.git',
    host: 'registry.example.com',
    imageRef: 'ghcr.io/acme/api:2',
    runnerId: 'run_0123456789abcdef',
  };
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      typeof value === 'string' && value.includes('<') ? (known[key] ?? 'stand-in') : value,
    ]),
  );
}

test('a database whose image cannot be pulled has its way out in imageRef or on the host, not in a Dockerfile', () => {
  const fixture = failures.find(({ name }) => name === 'registry-unreachable.database');
  if (fixture === undefined) throw new Error('no fixture');
  const { explanation } = explainFailure(failureOf(fixture));
  expect(explanation.likelyCause).toContain('mongo:7');
  expect(explanation.suggestedFix).toContain('docker load');
  expect([explanation.suggestedFix, ...explanation.commands].join('\n')).not.toContain('Dockerfile');
});

test('an image that is missing with a login is not explained by a missing login', () => {
  const explanationOf = (name: string) => {
    const fixture = failures.find((one) => one.name === name);
    if (fixture === undefined) throw new Error('no fixture');
    return Object.values(explainFailure(failureOf(fixture)).explanation)
      .flat()
      .join('\n');
  };
  expect(explanationOf('image-not-found')).toContain('/api/registries');
  const withLogin = explanationOf('image-not-found.login');
  expect(withLogin).toContain('accepts the login of "ada"');
  expect(withLogin).not.toMatch(/\/api\/registries|store a login|is private/);
});

test.each([
  ['download-failed.bundler', 'index.rubygems.org'],
  ['download-failed.cargo', 'index.crates.io'],
  ['download-failed.composer', 'api.github.com'],
  ['download-failed.gem', 'rubygems.org'],
  ['download-failed.go', 'proxy.golang.org'],
  ['download-failed.go-v2', 'proxy.golang.org'],
  ['download-failed.gradle', 'repo.maven.apache.org'],
  ['download-failed.gradle-wrapper', 'services.gradle.org'],
  ['download-failed.maven', 'repo.maven.apache.org'],
  ['download-failed.npm', 'npm.example.com'],
  ['download-failed.pnpm', 'npm.example.com'],
  ['download-failed.yarn', 'registry.yarnpkg.com'],
  ['download-failed.yarn-berry', 'registry.yarnpkg.com'],
])('%s names the server, and speaks of no registry of containers', (name, host) => {
  const { summary, likelyCause, suggestedFix, commands } = explainFailure(
    failureOf(fixtureNamed(name)),
  ).explanation;
  expect(summary).toBe(`The build could not download from ${host}.`);
  expect(commands[0]).toBe(`getent hosts ${host}`);
  expect(`${likelyCause} ${suggestedFix}`).not.toMatch(/container registry|docker/i);
});

test('pip is explained by the network where it could not ask, and by the version where it could', () => {
  const { likelyCause } = explainFailure(failureOf(fixtureNamed('download-failed.pip'))).explanation;
  expect(likelyCause).toContain('Name or service not known');
  const asked = fixtureNamed('pip-no-distribution');
  const retried = {
    stream: 'stdout' as const,
    line: "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError': Failed to establish a new connection",
  };
  const lines = [...asked.lines.slice(0, -4), retried, ...asked.lines.slice(-4)];
  expect(explainFailure(failureOf({ ...asked, lines })).rule).toBe('pip-no-distribution');
});

test('pip that found no file at all is not explained by the version of Python', () => {
  const { lines, ...asked } = fixtureNamed('pip-no-distribution');
  const explained = (versions: string, ...more: string[]) => {
    const shown = lines.map((one) => ({
      ...one,
      line: one.line.replace(/\(from versions: [^)]*\)/, versions),
    }));
    const before = more.map((line) => ({ stream: 'stdout' as const, line }));
    const printed = [...shown.slice(0, -4), ...before, ...shown.slice(-4)];
    const { rule, explanation } = explainFailure(failureOf({ ...asked, lines: printed }));
    expect(rule).toBe('pip-no-distribution');
    return `${explanation.summary} ${explanation.likelyCause} ${explanation.suggestedFix}`;
  };
  const none = '(from versions: none)';
  expect(explained('(from versions: 3.1.3)')).toContain('for this version of Python');
  expect(
    explained(none, 'Ignored the following versions that require a different python version: 9'),
  ).toContain('for this version of Python');
  const unknown = explained(none);
  expect(unknown).toMatch(/^pip found no release of flask==99\.9 at all\..*name is wrong.*PIP_NO_INDEX/);
  for (const line of [
    'No package index is asked, because the variable PIP_NO_INDEX is set',
    'RUN pip install --no-index x',
  ]) {
    expect(explained(none, line)).toMatch(/^pip asked no package index.*Remove PIP_NO_INDEX and --no-index/);
  }
  expect(`${unknown} ${explained(none, '--no-index')}`).not.toContain('version of Python');
});

test('explanations for the command line use its commands where it has them', () => {
  const raw = failures.flatMap((fixture) =>
    explainFailure(failureOf(fixture, { tool: 'longshore' })).explanation.commands.filter((command) =>
      /^longshore api \w+ \S*\/(?:overview|suggestion-keys|env|deployments|restart)(?: |$)/.test(command),
    ),
  );
  expect(raw).toEqual([]);
});

test.each(['dockerfile', 'Containerfile'] as const)('%s is called by its own name', (own) => {
  const failure = failureOf(fixtureNamed('dockerfile-syntax'));
  const service = { ...failure.service, detectedBuildMethod: 'dockerfile' as const, sourceFiles: [own] };
  const { summary, suggestedFix, commands } = explainFailure({ ...failure, service }).explanation;
  expect([summary, suggestedFix].every((text) => text.includes(own))).toBe(true);
  expect(commands[0]).toBe(`docker build --check -f ${own} .`);
});

const crashed = (lines: string[]) =>
  failureOf({
    name: 'crash',
    origin: '',
    state: {},
    lines: [
      ...lines.map((line) =>
        line.startsWith('system| ')
          ? { stream: 'system' as const, line: line.slice(8) }
          : { stream: 'stdout' as const, line },
      ),
      {
        stream: 'system' as const,
        line: 'Failed (health_failed): The container ended with exit code 1 right after its start; its last lines are in the log.',
      },
    ],
  });

test('the output of a successful phase explains nothing', () => {
  const lines = ["Error: Cannot find module 'left-over'", 'system| build: done in 3.0 s', 'boom'];
  expect(explainFailure(crashed(lines)).rule).toBe('exit-1');
  const printedByTheApp = ['build: done in 3.0 s', "Error: Cannot find module 'x'", 'build: done in 3.0 s'];
  expect(explainFailure(crashed(printedByTheApp)).rule).toBe('missing-module-node');
});

/** Files that a repository may have, as rules name them. */
const repositoryFile =
  /\b(Dockerfile|Procfile|Gemfile|package\.json|requirements\.txt|pyproject\.toml|go\.(mod|sum)|composer\.lock)\b|\.(dockerignore|npmrc|ruby-version)\b/;

test.each([
  [
    'a repository that the analyzer builds',
    { kind: 'git', detectedBuildMethod: 'analyzer' },
    /Dockerfile|\bARG\b/,
  ],
  ['an image', { kind: 'image', imageRef: 'acme/web:1' }, repositoryFile],
  ['a database', { kind: 'database', imageRef: 'postgres:17' }, repositoryFile],
] as const)('no explanation for %s names a file that it does not have', (_, more, absent) => {
  const isAdvice = /\b(add|push) a Dockerfile|has no Dockerfile/i;
  for (const fixture of failures) {
    const failure = failureOf(fixture);
    // Nothing of an image or a database is cloned or built.
    if (more.kind !== 'git' && /^(build|source)/.test(failure.code ?? '')) continue;
    const service = { ...failure.service, ...more };
    const { likelyCause, suggestedFix, commands } = explainFailure({ ...failure, service }).explanation;
    const own = [likelyCause, suggestedFix].flatMap((text) => text.split(/(?<=\.) /));
    const named = [...own, ...commands]
      .filter((text) => absent.test(text) && !text.startsWith('"') && !isAdvice.test(text))
      // What the log itself says is there, or is what the host answered.
      .filter(
        (text) =>
          ![failure.message, ...failure.lines].some((line) => line !== '' && text.includes(line.trim())),
      );
    expect([fixture.name, named]).toEqual([fixture.name, []]);
    expect([fixture.name, commands.length]).not.toEqual([fixture.name, 0]);
  }
});

describe.each<[string, 'dockerfile' | 'analyzer', NamedSourceFile[]]>([
  ['pip', 'analyzer', ['requirements.txt']],
  ['Pipenv', 'analyzer', ['Pipfile', 'Pipfile.lock']],
  ['Poetry', 'analyzer', ['pyproject.toml', 'poetry.lock']],
  ['npm', 'analyzer', ['package.json', 'package-lock.json', '.nvmrc']],
  ['pnpm in a Dockerfile', 'dockerfile', ['Dockerfile', 'package.json', 'pnpm-lock.yaml', '.npmrc']],
  ['Bun', 'analyzer', ['package.json', 'bun.lock']],
  ['package.json5', 'analyzer', ['package.json5', 'pnpm-lock.yaml']],
  ['Gradle', 'analyzer', ['build.gradle', 'gradlew']],
  ['Go without packages', 'analyzer', ['go.mod']],
  ['Ruby, PHP and Rust without locks', 'dockerfile', ['Dockerfile', 'Gemfile', 'Cargo.toml']],
  ['a program of a shell', 'analyzer', ['Procfile']],
])('a project of %s', (_, detectedBuildMethod, sourceFiles) => {
  test.each(['git', 'upload'] as const)('is never told of a file that it does not have (%s)', (kind) => {
    for (const fixture of failures) {
      const failure = failureOf(fixture);
      if (failure.service.kind !== 'git') continue;
      const service = { ...failure.service, kind, detectedBuildMethod, sourceFiles };
      const { likelyCause, suggestedFix, commands } = explainFailure({ ...failure, service }).explanation;
      const said = [failure.message, ...failure.lines].join('\n');
      const missing = namedSourceFiles.filter((name) => !sourceFiles.includes(name) && !said.includes(name));
      const names = (text: string) =>
        missing.filter((name) => text.split(/[\s"'(),:;*/]+|\.(?=\s|$)/).includes(name));
      const claims = [likelyCause, suggestedFix, ...commands.filter((one) => !one.startsWith('git add '))]
        .map((text) => text.replaceAll(/\b(?:a new|[Aa]dd a|has no) \.?[\w.-]+/g, ''))
        .flatMap(names);
      expect([fixture.name, claims]).toEqual([fixture.name, []]);
      for (const text of [likelyCause, suggestedFix, ...commands]) expect(text).toMatch(/\S.{5}/);
      expect([fixture.name, commands.length]).not.toEqual([fixture.name, 0]);
    }
  });
});

test.each<[string, NamedSourceFile[], string[]]>([
  [
    'missing-module-python',
    ['Pipfile', 'Pipfile.lock'],
    ['The package is not in Pipfile, ', 'pipenv install'],
  ],
  ['missing-module-python', ['pyproject.toml', 'uv.lock'], ['not in pyproject.toml, ', 'uv add']],
  ['missing-module-node', ['package.json', 'yarn.lock'], ['package.json and the lock file', 'yarn add']],
  ['missing-module-node', ['package.json'], ['commit package.json.', 'npm install']],
  ['node-lockfile-outdated.pnpm', ['package.json', 'pnpm-lock.yaml'], ['git add pnpm-lock.yaml']],
  ['jvm-build-failed', ['build.gradle', 'gradlew'], ['./gradlew dependencies', 'JAVA_VERSION']],
  ['pip-no-distribution', ['Pipfile', '.python-version'], ['in .python-version or Pipfile, or by']],
])('the explanation of %s for a project with %j names its own file and tool', (name, sourceFiles, parts) => {
  const failure = failureOf(failures.find((one) => one.name === name) ?? expect.fail());
  const service = { ...failure.service, detectedBuildMethod: 'analyzer' as const, sourceFiles };
  const { explanation } = explainFailure({ ...failure, service });
  const text = JSON.stringify(explanation);
  for (const part of parts) expect(text).toContain(part);
});

test.each<[string, string, string[]]>([
  ['pnpm run build', 'pnpm add', ['package.json and the lock file']],
  ['cd /app/apps/web && yarn run build', 'yarn add', ['commit package.json.']],
  ['node /app/.yarn/releases/yarn-4.12.0.cjs run build', 'yarn add', ['commit package.json.']],
  ['next build', 'npm install', ['package.json and the lock file']],
])(
  'after the build step "%s" the explanation advises the package manager that ran: %s',
  (step, add, parts) => {
    const failure = failureOf(failures.find(({ name }) => name === 'missing-module-node') ?? expect.fail());
    const sourceFiles: NamedSourceFile[] = [
      'package.json',
      step.startsWith('pnpm') ? 'pnpm-lock.yaml' : 'package-lock.json',
    ];
    // A lock file that is left over from another package manager.
    if (step.startsWith('pnpm')) sourceFiles.push('package-lock.json');
    const service = { ...failure.service, detectedBuildMethod: 'analyzer' as const, sourceFiles };
    const message = `The build step "${step}" failed with exit code 1.`;
    const text = JSON.stringify(explainFailure({ ...failure, service, message }).explanation);
    for (const part of [add, ...parts]) expect(text).toContain(part);
  },
);

test('the explanation of what cannot be built advises what the sentence itself names', () => {
  const failure = failureOf(failures.find(({ name }) => name === 'not-buildable-as-it-is') ?? expect.fail());
  const { suggestedFix, commands } = explainFailure(failure).explanation;
  expect(suggestedFix).toMatch(/^Use @sveltejs\/adapter-node there, or .* Then deploy again\.$/);
  expect(commands.join()).not.toMatch(/find |rootDir/);
});

test('the explanation of a registry that is away is whole for a base image of the analyzer', () => {
  const failure = failureOf(failures.find(({ name }) => name === 'registry-unreachable') ?? expect.fail());
  const message =
    'The registry of python:3.13-slim cannot be reached, and the host has no copy of the image. Connect the host to the registry.';
  const service = { ...failure.service, detectedBuildMethod: 'analyzer' as const };
  const { explanation } = explainFailure({ ...failure, service, message, lines: [] });
  expect(explanation.suggestedFix).toMatch(/^Make sure that the host can reach the registry/);
  expect(explanation.commands[0]).toBe('docker pull python:3.13-slim');
});

test('a commit that is missing in a submodule is not taken for the ref of the deployment', () => {
  const failure = failureOf(failures.find(({ name }) => name === 'ref-not-found') ?? expect.fail());
  const missing = `The commit ${'a'.repeat(40)} does not exist in https://git.example.com/acme/lib.git.`;
  const rule = (message: string) => explainFailure({ ...failure, message, lines: [] }).rule;
  expect(rule(missing)).toBe('ref-not-found');
  expect(rule(`The submodule "lib" could not be fetched: ${missing}`)).toBe('submodule-failed');
});

test('no explanation for an uploaded folder advises git, and a changed folder is sent again', () => {
  const fetched = /^(git|ssh|lfs|submodule|repository|branch|ref-|source|plain-http|private-address)/;
  for (const fixture of failures) {
    const failure = failureOf(fixture);
    if (fetched.test(fixture.name) || failure.what.kind !== 'deployment') continue;
    const upload = { kind: 'upload', repoUrl: 'upload', detectedBuildMethod: 'analyzer' } as const;
    const service = { ...failure.service, ...upload };
    const { summary, likelyCause, suggestedFix, commands } = explainFailure({
      ...failure,
      service,
    }).explanation;
    const advice = [summary, likelyCause, suggestedFix]
      .flatMap((text) => text.split(/(?<=\.) /))
      .filter(
        (text) =>
          ![failure.message, ...failure.lines].some((line) => line !== '' && text.includes(line.trim())),
      );
    const named = [...advice, ...commands].filter((text) =>
      /\bgit\b|(?<!-|build and )\bpush|commit|\bbranch|\b(this|the|your) repository/i.test(
        text.replaceAll('.gitignore', ''),
      ),
    );
    expect([fixture.name, named]).toEqual([fixture.name, []]);
  }
  const lockFile = failures.find(({ name }) => name === 'node-lockfile-outdated') ?? expect.fail();
  const { service } = failureOf(lockFile);
  const upload = { service: { ...service, kind: 'upload' as const } };
  expect(explainFailure(failureOf(lockFile, upload)).explanation.commands).toEqual([
    'npm install',
    'longshore up',
  ]);
});

test.each([
  ['a setting', 'missing-variable', 'restart', 'run'],
  ['the files', 'missing-module-node', 'deployments', 'deployments run'],
  ['a setting of a version', 'no-open-port', 'deployments', 'run'],
])('after a change of %s a crash is ended by a %s, a command by a new run', (_, name, ofCrash, ofRun) => {
  const fixture = failures.find((one) => one.name === name) ?? expect.fail();
  const actions = (what: Failed) =>
    explainFailure(failureOf(fixture, { what }))
      .explanation.commands.map(
        (one) => /-X POST .*services\/svc_\w+\/(deployments|restart|run)$/.exec(one)?.[1],
      )
      .filter((one) => one !== undefined)
      .join(' ');
  expect(actions({ kind: 'crash' })).toBe(ofCrash);
  expect(actions({ kind: 'run', id: 'run_1', command: "echo it's" })).toBe(ofRun);
});

test('a failed command is explained by what it printed, as an app that ends at its start', () => {
  for (const fixture of failures.filter(({ name }) => /^(missing-|database-|out-of-memory-run)/.test(name))) {
    const failure = failureOf(fixture);
    if (
      failure.code !== 'health_failed' ||
      failure.what.kind !== 'deployment' ||
      failure.message.includes('MB')
    )
      continue;
    const run = { what: { kind: 'run' as const, id: 'run_1', command: 'x' }, code: 'run_failed' as const };
    const { rule, explanation } = explainFailure({
      ...failure,
      ...run,
      message: 'The command ended with exit code 1.',
    });
    expect(rule).toBe(fixture.name.split('.')[0]);
    expect(explanation.commands.at(-1)).toContain('/run');
  }
});

test.each([
  ['missing-variable.envsafe-missing', 'The variable REDISHOST is not set.'],
  ['database-unreachable.migrate', 'The app could not connect to 127.0.0.1:5432.'],
  ['outside-unreachable.build', 'The build could not find the server plus.unsplash.com.'],
])('what a first user met and was told beside the point: %s', (name, summary) => {
  const { explanation } = explainFailure(
    failureOf(failures.find((one) => one.name === name) ?? expect.fail()),
  );
  expect(explanation.summary).toBe(summary);
});

test('a lock file that is out of step or unreadable is not said to be missing', () => {
  const explained = (name: string) =>
    explainFailure(failureOf(failures.find((one) => one.name === name) ?? expect.fail())).explanation;
  const outOfStep = explained('node-lockfile-outdated.npm');
  expect(outOfStep.summary).toBe('package.json and the lock file do not match.');
  expect(outOfStep.likelyCause).toContain('Missing: dayjs@1.11.13 from lock file');
  // Of a large project, the list of packages is longer than the part of the log that is searched.
  const list = ['npm error Missing: vary@1.1.2 from lock file', 'npm error aliases: clean-install, ic'];
  const long = failureOf(failures.find(({ name }) => name === 'node-lockfile-outdated') ?? expect.fail(), {
    lines: list,
  });
  expect(explainFailure(long).rule).toBe('node-lockfile-outdated');
  expect(explained('npm-lockfile-missing.unreadable').summary).toContain("is there, but npm can't read it");
});

test.each([
  ['npm', 'Missing: dayjs@1.11.13 from lock file', 'npm install'],
  ['pnpm', 'specifiers in the lockfile', 'pnpm install'],
  ['pnpm-10', '* 1 dependencies were added: is-odd@3.0.1', 'pnpm install'],
  ['pnpm-overrides', 'The current "overrides" configuration', 'pnpm install'],
  ['yarn', 'Your lockfile needs to be updated', 'yarn install'],
  ['yarn-berry', '+ is-odd@npm:3.0.1, ms@npm:2.1.3', 'yarn install'],
  ['bun', 'ms changed from 2.1.2 to 2.1.3', 'bun install'],
])(
  'a lock file of %s that is out of step is explained by the difference and the command that mends it',
  (manager, difference, command) => {
    const fixture =
      failures.find(({ name }) => name === `node-lockfile-outdated.${manager}`) ?? expect.fail();
    const { rule, explanation } = explainFailure(failureOf(fixture));
    expect(rule).toBe('node-lockfile-outdated');
    expect(explanation.likelyCause).toContain(difference);
    expect(explanation.commands[0]).toBe(command);
  },
);

test('a lock file that no install can mend is explained by the variable that builds without "npm ci"', () => {
  const fixture = failures.find(({ name }) => name === 'node-lockfile-outdated.unresolved') ?? expect.fail();
  const { explanation } = explainFailure(failureOf(fixture, { tool: 'longshore' }));
  expect(explanation.summary).toBe(
    'The registry does not have an optional dependency: napi-windows-process-start-time.',
  );
  expect(explanation.commands[0]).toBe('longshore env set -s shop/web FROZEN_LOCKFILE=false');
  const stale = failureOf(fixture, {
    lines: ['npm error Missing: optional@ from lock file', 'npm error Missing: dayjs@1.11.13 from lock file'],
  });
  expect(explainFailure(stale).explanation.summary).toBe('package.json and the lock file do not match.');
});

test('commands for the command line name project and service, and no curl and no key', () => {
  for (const fixture of failures) {
    const { commands } = explainFailure(failureOf(fixture, { tool: 'longshore' })).explanation;
    const calls = commands.filter((command) => /https:\/\/longshore\.test|\$KEY/.test(command));
    expect([fixture.name, calls]).toEqual([fixture.name, []]);
  }
  const commandsOf = (name: string) => {
    const fixture = failures.find((one) => one.name === name) ?? expect.fail();
    return explainFailure(failureOf(fixture, { tool: 'longshore' })).explanation.commands;
  };
  expect(commandsOf('port-mismatch')[0]).toMatch(/^longshore settings set -s shop\/web internalPort=\d+$/);
  expect(commandsOf('program-unknown.go-module')[0]).toBe('longshore settings set -s shop/web rootDir=hello');
  expect(commandsOf('program-unknown')[0]).toBe("longshore env set -s shop/web 'JAVA_MODULE=<value>'");
  expect(commandsOf('git-token-refused')).toContain('longshore settings set -s shop/web gitToken --stdin');
  const failure: Failure = { ...crashed(["KeyError: 'API_TOKEN'"]), tool: 'longshore' };
  const { commands } = explainFailure(failure).explanation;
  expect(commands[0]).toBe("longshore env set -s shop/web 'API_TOKEN=<value>'");
  expect(commands.at(-1)).toBe('longshore deploy shop/web --wait');
  const crash = explainFailure({ ...failure, what: { kind: 'crash' } }).explanation;
  expect(crash.commands.at(-1)).toBe('longshore restart shop/web --wait');
});

test.each([
  [false, 'npm start', 'longshore-runner'],
  [true, 'systemctl status longshore-runner', 'npm start'],
])(
  'the commands for a host of a local instance, installed as a service: %s, are "%s"',
  (onInstalledHost, expected, other) => {
    const fixture = failures.find(({ name }) => name === 'runner-lost');
    const local = { apiUrl: 'http://127.0.0.1:8787', onInstalledHost };
    const { commands } = explainFailure(failureOf(fixture ?? expect.fail(), local)).explanation;
    expect(commands).toContain(expected);
    expect(commands.join()).not.toContain(other);
  },
);

test('an app that ended is quoted with its error, not with what its runtime prints after it', () => {
  const trace = ['    at Object.<anonymous> (/app/server.js:1:7)', '}', '', 'Node.js v24.21.0'];
  const lines = [
    'listening soon',
    'Error: DATABASE_PASSWORD missing',
    ...trace,
    'The container ended with exit code 1.',
  ];
  expect(explainFailure(crashed(lines)).explanation.likelyCause).toContain(
    'Its last error line: "Error: DATABASE_PASSWORD missing".',
  );
});

test('an error of the app comes before an unresolved reference, and both are told', () => {
  const reference = '$' + '{shop.URL}';
  const warning = `PEER: ${reference} stays as written, because the project has no service "shop".`;
  const explained = (...lines: string[]) => explainFailure({ ...crashed(lines), warnings: [warning] });
  const own = explained('Error: the migration 7 failed');
  expect(own.rule).toBe('exit-1');
  expect(own.explanation.likelyCause).toContain('Its last error line: "Error: the migration 7 failed".');
  expect(own.explanation.likelyCause).toContain(warning);
  for (const line of [`TypeError: Invalid URL: ${reference}`, 'Error: PEER is wrong']) {
    const { rule, explanation } = explained(line);
    expect(rule).toBe('unresolved-reference');
    expect(explanation.likelyCause).toContain(`${warning} The app received the text`);
    expect(explanation.likelyCause).toContain(line);
  }
  expect(explained('bye').rule).toBe('unresolved-reference');
});

test('colours do not hide a cause', () => {
  const line = "\u001b[31mError: Cannot find \u001b[1mmodule 'dayjs'\u001b[0m";
  expect(explainFailure(crashed([line])).explanation.summary).toBe('Node did not find the package dayjs.');
});

test('names from a log are words of the shell, whatever a build prints', () => {
  const { commands } = explainFailure(crashed(["Cannot find package '$(rm -rf ~); `id`'"])).explanation;
  expect(commands[0]).toBe("npm install '$(rm -rf ~); `id`'");
  expect(shellWord("it's")).toBe("'it'\\''s'");
});

test('commands name this API, this service and this deployment, and hold no key', () => {
  const { commands } = explainFailure(crashed(["KeyError: 'API_TOKEN'"])).explanation;
  expect(commands[0]).toBe(
    `curl -s -X POST -H "Authorization: Bearer $KEY" -H 'content-type: application/json' -d '{"key":"API_TOKEN","value":"<value>"}' https://longshore.test/api/services/svc_0123456789abcdef/env`,
  );
});

test('an unknown failure is quoted from its last lines that look like errors', () => {
  const failure = failureOf(
    { name: '', origin: '', state: {}, lines: [] },
    {
      code: 'build_failed',
      message: 'The build ended without an image.',
      lines: ['ok', 'frobnicator: fatal: no flux', 'bye'],
    },
  );
  const { rule, explanation } = explainFailure(failure);
  expect(rule).toBeNull();
  expect(explanation.summary).toBe('The build ended without an image.');
  expect(explanation.likelyCause).toContain('"frobnicator: fatal: no flux"');
  expect(explanation.likelyCause).not.toContain('bye');
  expect(explanation.commands[0]).toContain('/api/deployments/dep_0123456789abcdef/logs');
  const silent = { ...failure, code: null, message: '', lines: [] };
  expect(explainFailure(silent).explanation.summary).toBe('The deployment failed in its phase "build".');
});
