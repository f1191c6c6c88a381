import { expect, test } from 'vitest';
import { withCommands } from '../../../cli/base/route-commands.ts';

test.each([
  [
    'The service has no version to restart: deploy it first, with POST /api/services/svc_a1/deployments.',
    'The service has no version to restart: deploy it first, with longshore deploy svc_a1 --wait.',
  ],
  [
    'The service is stopped: start it with POST /api/services/svc_a1/start.',
    'The service is stopped: start it with longshore start svc_a1 --wait.',
  ],
  [
    "can't be decrypted: store its token again (PATCH /api/git-credentials/gcr_a1).",
    "can't be decrypted: store its token again (longshore api PATCH /api/git-credentials/gcr_a1).",
  ],
  [
    'wait until one expires (GET /api/keys), or revoke one',
    'wait until one expires (longshore keys list), or revoke one',
  ],
  [
    'It can be restored until 2026-11-24T10:00:00.000Z with POST /api/services/svc_a1/volumes/vol_b2/restore.',
    'It can be restored until 2026-11-24T10:00:00.000Z with longshore restore vol_b2.',
  ],
  [
    'abort it first (POST /api/deployments/dep_a1/abort)',
    'abort it first (longshore abort --deployment dep_a1)',
  ],
  ['The field "name" is empty.', 'The field "name" is empty.'],
])('a sentence of the control plane names commands in place of routes: %s', (said, shown) => {
  expect(withCommands(said)).toBe(shown);
});
