import { afterAll, beforeAll } from 'vitest';
import { connectDocker } from '../../../runner/docker/client.ts';
import { testId } from './docker-host.ts';

/** What an image of `useNextImage` has in its environment. */
export const nextVersion = 'LONGSHORE_TEST_VERSION=next';

/** The same server as in this image, as another image under another name: stands for a later version where only one can be had. */
export function useNextImage(image: string): string {
  const repo = `longshore-test-next-${testId('service').slice(4)}`;
  const { engine } = connectDocker('next-image');
  beforeAll(async () => {
    const container = await engine.createContainer({ Image: image });
    await container.commit({ repo, tag: '99', changes: [`ENV ${nextVersion}`] });
    await container.remove({ v: true });
  });
  afterAll(() => engine.getImage(`${repo}:99`).remove({ force: true }));
  return `${repo}:99`;
}
