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

test('a Docker without its own firewall rules is one to start again, not a failure of the platform', () => {
  const message =
    'Failed to Setup IP tables: Unable to enable SKIP DNAT rule:  (iptables failed: iptables --wait -t nat -I DOCKER -i br-dda0618432ba -j RETURN: iptables: No chain/target/match by that name.\n (exit status 1))';
  const error = dockerError('create the network', Object.assign(new Error(message), { json: { message } }));
  expect(error).toMatchObject({ code: 'docker_unavailable', detail: message });
  expect(error.message).toContain('systemctl restart docker');
});
