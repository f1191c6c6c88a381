/** Databases of two tenants on one host: each tenant's clients trust a CA that signs for no other tenant. */
import { beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import { answerDatabaseTls } from '../../../runner/database-tls/answer-database-tls.ts';
import type { HostDatabaseTls } from '../../../runner/database-tls/database-tls.ts';
import { renewCertificates } from '../../../runner/database-tls/renew-certificates.ts';

import * as database from '../../support/docker/tls-database.ts';
import { useDeployFixture } from '../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();
let tls: HostDatabaseTls;
const tenants = { alice: 'ten_aaaaaaaaaaaaaaaa', bob: 'ten_bbbbbbbbbbbbbbbb', operator: undefined };
type Tenant = keyof typeof tenants;
const names = Object.keys(tenants) as Tenant[];
const live = {} as Record<Tenant, DeploySpec>;
const authorities = {} as Record<Tenant, string>;

const answer = ({ serviceId }: DeploySpec) =>
  answerDatabaseTls({ docker: fixture.host.docker, tls, clock: systemClock }, { serviceId });

beforeAll(async () => {
  tls = database.tlsOf(fixture.host.dataDirectory, fixture.host.docker.instance, systemClock);
  fixture.parts.databaseTls = tls;
  for (const name of names) {
    const spec = await database.databaseSpec(fixture, ['db.example.test']);
    const tenantId = tenants[name];
    live[name] = tenantId === undefined ? spec : { ...spec, tenantId };
    await database.deployed(fixture, live[name]);
    authorities[name] = (await answer(live[name])).authority ?? '';
  }
});

test("a client that trusts one tenant's CA verifies that tenant's database and refuses all others, although the name is right", async () => {
  for (const of of names)
    for (const trusted of names) {
      const client = database.versionOf(live[of], {
        ca: authorities[trusted],
        servername: 'db.example.test',
      });
      if (of === trusted) expect(await client).toBe('TLSv1.3');
      else await expect(client).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    }
});

test("the default tenant keeps the host's own CA", () => {
  expect(authorities.operator).toBe(tls.authority()?.toString());
});

test('the regular check finds every certificate good, and renews those of a tenant by its own CA', async () => {
  const logged: string[] = [];
  const logger = {
    info: (line: string) => void logged.push(line),
    warn: (line: string) => void logged.push(line),
  };
  let aheadMs = 0;
  const clock = database.clockAt(() => aheadMs);
  const parts = { docker: fixture.host.docker, tls, clock, logger };
  await renewCertificates(parts);
  expect(logged).toEqual([]);
  aheadMs = 70 * 86_400_000;
  await renewCertificates(parts);
  expect(logged.filter((line) => line.includes('was renewed'))).toHaveLength(names.length);
  for (const name of names)
    expect(await answer(live[name])).toEqual({ active: true, authority: authorities[name] });
});
