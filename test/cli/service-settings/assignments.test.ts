import { expect, test } from 'vitest';
import { patchOf } from '../../../cli/service-settings/assignments.ts';
import { servicePatchSchema } from '../../../worker/domain/services/settings/service-settings.ts';

const set = (...given: string[]) =>
  patchOf(
    given.map((one) => ({ name: one.slice(0, one.indexOf('=')), value: one.slice(one.indexOf('=') + 1) })),
  );

test('values get the type of their field, an empty one clears it, and the API accepts the body', () => {
  const { patch } = set(
    ...['replicas=3', 'cpuLimit=0.5', 'sleep-after-minutes=', 'protected=on', 'healthCheckPath=/up?a=b'],
    ...['command=npm run  start', 'entrypoint=["sh","-c","echo \\"hi\\""]', 'variableNames=A_B:a.b,C:c'],
    ...['engineSettings.max_connections=200', 'engineSettings.work_mem='],
  );
  expect(patch).toEqual({
    ...{ replicas: 3, cpuLimit: 0.5, sleepAfterMinutes: null, protected: true, healthCheckPath: '/up?a=b' },
    ...{ command: ['npm', 'run', 'start'], entrypoint: ['sh', '-c', 'echo "hi"'] },
    variableNames: [
      { key: 'A_B', name: 'a.b' },
      { key: 'C', name: 'c' },
    ],
    engineSettings: { max_connections: '200', work_mem: null },
  });
  expect(servicePatchSchema.safeParse(patch).error).toBeUndefined();
});

test('the next command is a build, a new container, or none', () => {
  expect(set('replicas=2', 'branch=next').command).toBe('deploy');
  expect(set('replicas=2', 'name=Web').command).toBe('restart');
  expect(set('engineSettings.work_mem=4MB').command).toBe('restart');
  expect(set('protected=true').command).toBeUndefined();
  expect(set('runnerId=run_1').command, 'a restart stays on the old host').toBe('deploy');
});

test.each([
  ['replcas=2', 'Did you mean replicas?'],
  ['replicas=two', 'is not a number'],
  ['protected=maybe', 'true or false'],
  ['command=sh -c "echo hi"', 'Write a list'],
  ['command=["sh"', 'not a list in JSON'],
  ['variableNames=A', 'KEY:name'],
])('%s is refused with the way out', (given, said) => {
  expect(() => set(given)).toThrow(said);
});
