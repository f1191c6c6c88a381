import { expect, test } from 'vitest';
import type { OwnRule } from '../../../protocol/metrics/own-rules.ts';
import { roundTrip, startStage } from '../../support/runner/stage.ts';
import { startTestHub } from '../../support/runner/test-hub.ts';
import { until } from '../../support/runner/until.ts';

const rule = (threshold: number): OwnRule => ({
  ...{ id: 'alr_0000000000000001', name: 'Busy', metric: 'cpu', comparison: 'above', threshold },
  ...{ forSeconds: 60, services: ['svc_1'] },
});

test('the host gets its alert rules with each welcome and each change, and none from an old control plane', {
  tags: 'slow',
}, async () => {
  const hub = await startTestHub();
  hub.alertRules = [rule(1)];
  const { alertRules, clock } = await startStage({ hub });
  hub.send({ type: 'alert-rules', rules: [rule(2)] });
  await roundTrip(hub);
  expect(alertRules).toEqual([[rule(1)], [rule(2)]]);
  hub.alertRules = undefined;
  hub.drop();
  await until('the pause', () => clock.waiting.some((ms) => ms >= 500 && ms <= 1_000));
  await clock.advance(1_000);
  await hub.welcomed(2);
  await roundTrip(hub);
  expect(alertRules.at(-1)).toEqual([]);
});
