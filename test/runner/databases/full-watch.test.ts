import { expect, test } from 'vitest';
import { engineOfPort, portsWithWay } from '../../../runner/databases/full-watch.ts';
import { engines } from '../../../runner/engines/index.ts';

// TimescaleDB is asked like PostgreSQL.
test.each(Object.entries(engines).filter(([name]) => name !== 'timescale'))(
  'a database of %s is asked as its engine wants',
  async (_, engine) => {
    const { port } = engine.container({
      env: {},
      logicalReplication: false,
      memoryLimitMb: null,
      chosen: {},
    });
    const found = await engineOfPort(port);
    expect(found?.ping).toBe(engine.ping);
    expect(portsWithWay.has(port)).toBe(engine.openWayIn !== undefined);
  },
);

test('a port that no engine has is asked for nothing', async () => {
  expect(await engineOfPort(1)).toBeUndefined();
});
