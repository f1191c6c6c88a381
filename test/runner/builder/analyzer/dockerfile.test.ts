import { expect, test } from 'vitest';
import { baseImage } from '../../../../runner/builder/analyzer/base-images.ts';
import type { BuildPlan } from '../../../../runner/builder/analyzer/build-plan.ts';
import {
  type DockerfileOptions,
  dockerfile,
  startLine,
} from '../../../../runner/builder/analyzer/dockerfile.ts';
import { quietTools } from '../../../../runner/builder/analyzer/quiet-tools.ts';

const node = { name: 'node', version: '22' };
const plan: BuildPlan = {
  provider: 'test',
  framework: null,
  notes: [],
  build: {
    image: node,
    packages: ['git', 'build-essential'],
    steps: [
      { type: 'copy', paths: ['package.json', 'apps/a/package.json', 'patches/'] },
      { type: 'env', values: { PATH: '/opt/bin:$PATH', QUOTE: 'a "b" \\' } },
      { type: 'run', command: 'npm ci', caches: ['/root/.npm', '/app/.cache/x'] },
      { type: 'copy', paths: ['.'] },
      { type: 'run', command: 'npm run build', caches: [] },
    ],
  },
  output: {
    type: 'run',
    image: node,
    packages: ['libvips42'],
    copies: [{ from: '/app/dist/', to: '/app/dist/' }],
    sources: ['package.json'],
    env: { NODE_ENV: 'production' },
    directory: '/app/dist',
    start: 'node server.js',
  },
  release: null,
};
const text = (more: Partial<DockerfileOptions> = {}, of: BuildPlan = plan) =>
  dockerfile(of, { serviceId: 'svc_1', builder: 'buildkit', variables: ['API', 'TOKEN'], ...more });

test('a plan is two stages: variables and caches in the first, a user without rights in the second', () => {
  expect(text()).toBe(`FROM node:22-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends build-essential git && rm -rf /var/lib/apt/lists/*
WORKDIR /app
${quietTools(plan.build.steps, [])[0]}
ARG API
ARG TOKEN
COPY source/package.json /app/
COPY source/apps/a/package.json /app/apps/a/
COPY source/patches/ /app/patches/
ENV PATH="/opt/bin:$PATH"
ENV QUOTE="a \\"b\\" \\\\"
RUN --mount=type=cache,id=svc_1-root-.npm,sharing=locked,target=/root/.npm --mount=type=cache,id=svc_1-app-.cache-x,sharing=locked,target=/app/.cache/x npm ci
COPY source/ /app/
RUN npm run build

FROM node:22-slim
RUN apt-get update && apt-get install -y --no-install-recommends libvips42 && rm -rf /var/lib/apt/lists/*
ENV HOME="/app"
ENV NODE_ENV="production"
COPY --from=build --chown=1000:1000 /app/dist/ /app/dist/
COPY --chown=1000:1000 source/package.json /app/
WORKDIR /app/dist
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec node server.js"]
`);
});

test('what tools print about themselves is off, unless the user sets it, and only for the tools of the plan', () => {
  const line = (variables: string[], command = 'npm ci') =>
    quietTools([{ type: 'run', command, caches: [] }], variables).join();
  expect(line([])).toMatch(/^ENV NPM_CONFIG_UPDATE_NOTIFIER=false NPM_CONFIG_FUND=false /);
  expect(line(['NPM_CONFIG_FUND', 'npm_config_update_notifier'])).not.toMatch(/ NPM_CONFIG_/);
  expect(line([], 'cd /app && pip install -r requirements.txt')).toBe(
    'ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore',
  );
  expect(line([], 'go build ./...')).toBe('');
  // Yarn 2 and later end with an error for each variable that begins with YARN_ and is no setting of theirs.
  expect(line([], 'yarn install')).not.toContain('YARN_');
});

test('a plan for the classic builder has no mounts and no other difference', () => {
  const classic = text({ builder: 'classic' });
  expect(classic).not.toContain('--mount');
  expect(text().replaceAll(/--mount=\S+ /g, '')).toBe(classic);
});

test("a static site's image contains only its files", () => {
  const site: BuildPlan = { ...plan, output: { type: 'site', directory: 'apps/web/dist', spa: true } };
  expect(text({}, site).split('\n\n')[1]).toBe(
    'FROM scratch\nCOPY --from=build /app/apps/web/dist/ /site/\n',
  );
});

test('a source without a build has one stage and sees no variables', () => {
  const sources: BuildPlan = {
    ...plan,
    build: { ...plan.build, steps: [] },
    output: { ...plan.output, copies: [], sources: ['.'] } as BuildPlan['output'],
  };
  expect(text({}, sources)).toMatch(/^FROM node:22-slim\n/);
  expect(text({}, sources)).not.toMatch(/AS build|ARG/);
});

test('paths and commands stay unchanged, whatever they contain', () => {
  const odd: BuildPlan = {
    ...plan,
    build: {
      image: node,
      packages: [],
      steps: [
        { type: 'copy', paths: ['my app/package.json'] },
        { type: 'run', command: 'make\nUSER root', caches: [] },
        { type: 'run', command: '--mount=type=bind x', caches: [] },
        { type: 'run', command: 'cat <<EOF', caches: [] },
        { type: 'run', command: 'echo "a" \\', caches: [] },
      ],
    },
  };
  expect(text({ variables: [] }, odd).split('\n').slice(2, 7)).toEqual([
    'COPY ["source/my app/package.json","/app/my app/"]',
    'RUN ["/bin/sh", "-c", "make\\nUSER root"]',
    'RUN ["/bin/sh", "-c", "--mount=type=bind x"]',
    'RUN ["/bin/sh", "-c", "cat <<EOF"]',
    'RUN ["/bin/sh", "-c", "echo \\"a\\" \\\\"]',
  ]);
});

test.each([
  ['node server.js', 'exec node server.js'],
  ['NODE_ENV=test node server.js', 'exec env NODE_ENV=test node server.js'],
  ['node a.js && node b.js', 'node a.js && node b.js'],
  ['cd dist; node .', 'cd dist; node .'],
  ['exec node .', 'exec node .'],
  ['serve -l $PORT', 'exec serve -l $PORT'],
])('%s starts as %s', (command, line) => {
  expect(startLine(command)).toBe(line);
});

test('base images are official ones, the default where no version is named', () => {
  expect(baseImage({ name: 'node', version: '20' })).toBe('node:20-slim');
  expect(baseImage({ name: 'node', version: null })).toBe('node:24-slim');
});

test('base images can be others on a host: for one version, or for all', () => {
  const overrides = { node: 'mirror.example/node:{version}', 'node:20': 'old:1' };
  expect(baseImage({ name: 'node', version: '20' }, overrides)).toBe('old:1');
  expect(baseImage({ name: 'node', version: '22' }, overrides)).toBe('mirror.example/node:22');
});
