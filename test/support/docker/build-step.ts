/** A build whose only step tries TCP connections. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labels } from '../../../protocol/names.ts';
import { packContext } from '../../../runner/builder/docker-context.ts';
import type { DockerHost } from '../../../runner/docker/client.ts';
import { buildImage } from '../../../runner/docker/image-build/build.ts';
import { testContext } from '../runner/job-context.ts';
import { connectScript } from './neighbour.ts';

/** The results of the connections from inside a step of BuildKit, in order: `open`, or the reason why not. */
export async function tryInBuildStep(
  docker: DockerHost,
  targets: readonly (readonly [host: string, port: number])[],
): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-step-'));
  const context = testContext();
  const steps = targets.map(([host, port]) => `echo outcome $(node connect.js ${host} ${port})`);
  // The layer's key contains the address of the first file; otherwise a step of an earlier run could be taken from the cache.
  const text = `FROM node:24-slim\nCOPY connect.js .\nRUN : ${directory}; ${steps.join('; ')}\n`;
  try {
    await writeFile(join(directory, 'connect.js'), connectScript);
    const request = {
      context: () => packContext(directory, ['connect.js'], { path: 'Dockerfile', mode: 0o644, text }),
      dockerfile: 'Dockerfile',
      tag: `longshore-step:${process.pid}`,
      labels: { [labels.instance]: docker.instance },
    };
    await buildImage(docker, request, context.log, context.signal, ['buildkit']);
  } finally {
    await rm(directory, { recursive: true });
  }
  return [...context.text().matchAll(/^outcome (\w+)$/gm)].map(([, outcome = '']) => outcome);
}
