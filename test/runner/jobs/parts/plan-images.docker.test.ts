/** Images that a plan names, where no address of this host may be asked: Docker opens no connection for any of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BuildPlan } from '../../../../runner/builder/analyzer/build-plan.ts';
import type { Attempt } from '../../../../runner/jobs/parts/attempt.ts';
import { buildByRailpack } from '../../../../runner/jobs/parts/build-by-railpack.ts';
import { buildDockerfile } from '../../../../runner/jobs/parts/build-dockerfile.ts';
import { buildFromPlan } from '../../../../runner/jobs/parts/build-from-plan.ts';
import { Undo } from '../../../../runner/jobs/undo.ts';
import { temporary } from '../../../support/docker/deploy-fixture.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { testContext } from '../../../support/runner/job-context.ts';
import { standIns } from '../../../support/runner/stand-in-programs.ts';
import { temporaryDirectory } from '../../../support/runner/temporary-directory.ts';
import { listening, privateListener } from '../../../support/servers/private-listener.ts';

const fixture = useDeployFixture();

interface Refused {
  attempt: Attempt;
  root: string;
  image: { tag: string; labels: Record<string, string> };
  /** `host:port` of what must not be asked. */
  secret: string;
}

const analyzed: BuildPlan = {
  provider: 'shell',
  framework: null,
  notes: [],
  build: { image: { name: 'debian', version: null }, packages: [], steps: [] },
  output: {
    type: 'run',
    image: { name: 'debian', version: null },
    packages: [],
    copies: [],
    env: {},
    start: 'true',
  },
  release: null,
};

/** The operator's own registry may be private; where it leads may not. */
async function byAnalyzer({ attempt, root, image, secret }: Refused) {
  const server = createServer((request, response) => {
    if (request.url === '/v2/') return void response.end('{}');
    response.writeHead(307, { location: `https://${secret}/` }).end();
  });
  const own = `127.0.0.1:${await listening(server)}/base:{version}`;
  const parts = { ...attempt.parts, baseImages: { debian: own } };
  await buildFromPlan({ ...attempt, parts }, analyzed, { tree: root, root }, image, () => ({}));
}

/** The programs stand in for Railpack and buildx: Docker builds upon what the plan names. */
async function byRailpack({ attempt, root, image, secret }: Refused) {
  const plan = JSON.stringify({
    steps: [{ commands: [{ image: `${secret}/app:1`, src: '/a', dest: '/b' }] }],
  });
  standIns({
    railpack: `case "$1" in --version) echo 'railpack version 0.9.1' ;; prepare) echo '${plan}' > "$4" ;; esac`,
    docker: `case "$*" in *railpack-plan.json*) curl -s --unix-socket /var/run/docker.sock -X POST "http://docker/images/create?fromImage=${secret}/app&tag=1" ;; esac`,
  });
  const parts = { ...attempt.parts, baseImages: { 'railpack-frontend': 'node:24-slim' } };
  await buildByRailpack({ ...attempt, parts }, root, image, null);
}

async function byDockerfile({ attempt, root, image, secret }: Refused) {
  writeFileSync(join(root, 'Dockerfile'), `FROM ${secret}/app:1\n`);
  await buildDockerfile(attempt, { root, dockerfile: 'Dockerfile', ...image });
}

test.each([
  ['a Dockerfile', byDockerfile, /private address/],
  ["the analyzer's plan", byAnalyzer, /private address/],
  ["Railpack's plan", byRailpack, /private address.* railpack\.json/],
])(
  'an image of %s at a refused address ends the build, and nobody asks there',
  async (_, build, sentence) => {
    const secret = await privateListener();
    const root = temporaryDirectory();
    mkdirSync(join(root, 'app'));
    const spec = fixture.spec();
    const attempt: Attempt = {
      parts: { ...fixture.parts, allowPrivateSources: false },
      spec,
      secrets: { env: {}, gitToken: null },
      context: testContext(),
      undo: new Undo(),
      facts: { imageTag: null },
    } as unknown as Attempt;
    const image = { tag: temporary(spec), labels: {} };
    const outcome = await build({ attempt, root, image, secret: secret.address }).catch(
      (error: unknown) => error,
    );
    expect(secret.connections()).toBe(0);
    expect(outcome).toMatchObject({ code: 'source_refused', message: expect.stringMatching(sentence) });
  },
);
