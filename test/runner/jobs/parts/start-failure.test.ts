import { expect, test } from 'vitest';
import { DockerError } from '../../../../runner/docker/docker-error.ts';
import { startFailure } from '../../../../runner/jobs/parts/start-failure.ts';

test.each([
  [
    'driver failed programming external connectivity on endpoint x: Bind for 127.0.0.1:46000 failed: port is already allocated',
    '46000',
  ],
  [
    'driver failed programming external connectivity on endpoint x: Error starting userland proxy: listen tcp4 0.0.0.0:46001: bind: address already in use',
    '46001',
  ],
  [
    'failed to set up container networking: failed to bind host port 127.0.0.1:46002/tcp: address already in use',
    '46002',
  ],
])('a port that another program holds is named with the way out: %s', (detail, port) => {
  const failure = startFailure(new DockerError('internal', detail, { detail, cause: undefined }));
  expect(failure).toMatchObject({
    code: 'start_failed',
    message: expect.stringMatching(new RegExp(`uses port ${port}: .*/host-port`)),
  });
});
