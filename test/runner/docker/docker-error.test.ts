import { expect, test } from 'vitest';
import { dockerError, isGone } from '../../../runner/docker/docker-error.ts';

test.each([
  [404, 'No such container: 3f2a', true],
  [403, 'container 3f2a is marked for removal and cannot be connected or disconnected to the network', true],
  [409, 'removal of container 3f2a is already in progress', true],
  [409, 'Conflict. The container name "/a" is already in use by container 3f2a.', false],
  [500, 'endpoint with name a already exists in network b', false],
])('an answer of %i with "%s" means that the container is gone: %s', (statusCode, message, gone) => {
  const error = Object.assign(new Error(message), { statusCode, json: { message } });
  expect(isGone(dockerError('rename the container', error))).toBe(gone);
  expect(isGone(error)).toBe(false);
});
