import { afterAll, beforeAll } from 'vitest';
import { connectDocker } from '../../../runner/docker/client.ts';
import { testId } from './docker-host.ts';

/** A variable in the environment of an image from `useNextImage`. */
export const nextVersion = 'LONGSHORE_TEST_VERSION=next';

/** The same server as in this image, as another image with another name. It plays a later version if only one version is available. */
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
