import { expect, test } from 'vitest';
import type { OwnRule } from '../../../protocol/metrics/own-rules.ts';
import { roundTrip, startStage } from '../../support/runner/stage.ts';
import { startTestHub } from '../../support/runner/test-hub.ts';

const rule = (threshold: number): OwnRule => ({
  ...{ id: 'alr_0000000000000001', name: 'Busy', metric: 'cpu', comparison: 'above', threshold },
  ...{ forSeconds: 60, services: ['svc_1'] },
});

test('the host gets its alert rules with the welcome and each change', { tags: 'slow' }, async () => {
  const hub = await startTestHub();
  hub.alertRules = [rule(1)];
  const { alertRules } = await startStage({ hub });
  hub.send({ type: 'alert-rules', rules: [rule(2)] });
  await roundTrip(hub);
  expect(alertRules).toEqual([[rule(1)], [rule(2)]]);
});
