/** What a DNS provider does with the TXT record that verifies a name. Namecheap's is tested with its runner: test/runner/host/namecheap. */
import { describe, expect, test } from 'vitest';
import { CloudflareAccount } from '../../../../worker/gateways/dns/cloudflare.ts';
import type { DnsAccount } from '../../../../worker/gateways/dns/index.ts';
import { SpaceshipAccount } from '../../../../worker/gateways/dns/spaceship.ts';
import { CloudflareServer, cloudflareToken } from '../../../support/worker/servers/cloudflare-server.ts';
import {
  SpaceshipServer,
  spaceshipKey,
  spaceshipSecret,
} from '../../../support/worker/servers/spaceship-server.ts';

interface Record {
  type: string;
  /** Below the zone. */
  name: string;
  value: string;
}
interface Provider {
  account: DnsAccount;
  add(record: Record): void;
  records(): Record[];
}

const outside = (fetch: (request: Request) => Promise<Response>) => ({
  fetch,
  pause: async () => {},
  timeLimitMs: 50,
});

/** An account with the zone example.com. */
const providers: { [Name in 'cloudflare' | 'spaceship']: () => Provider } = {
  cloudflare() {
    const server = new CloudflareServer();
    const zone = server.addZone('example.com');
    return {
      account: new CloudflareAccount(outside(server.fetch), { apiToken: cloudflareToken }),
      add: ({ type, name, value }) =>
        server.addRecord(zone, { type, name: `${name}.example.com`, content: value }),
      records: () =>
        server.records.map(({ type, name, content }) => ({
          type,
          name: name.replace('.example.com', ''),
          value: content.replaceAll('"', ''),
        })),
    };
  },
  spaceship() {
    const server = new SpaceshipServer();
    server.addDomain('example.com');
    const fieldOf = (type: string) => (type === 'CNAME' ? 'cname' : 'value');
    return {
      account: new SpaceshipAccount(outside(server.fetch), {
        apiKey: spaceshipKey,
        apiSecret: spaceshipSecret,
      }),
      add: ({ type, name, value }) =>
        server.domains
          .get('example.com')
          ?.push({ type, name, [fieldOf(type)]: value, group: { type: 'custom' } }),
      records: () =>
        (server.domains.get('example.com') ?? []).map(({ type, name, value, cname }) => ({
          type,
          name,
          value: value ?? cname ?? '',
        })),
    };
  },
};

const wanted = { name: '_longshore.shop.example.com', value: 'longshore=abc' };
const own = { type: 'TXT', name: '_longshore.shop', value: 'longshore=abc' };
/** Records that are not to be changed: another text of the same name, the same text of other names, another type. */
const foreign = [
  { type: 'TXT', name: '_longshore.shop', value: 'longshore=other-tenant' },
  { type: 'TXT', name: '_longshore', value: 'longshore=abc' },
  { type: 'TXT', name: 'shop', value: 'longshore=abc' },
  { type: 'MX', name: '_longshore.shop', value: 'longshore=abc' },
];

describe.each(Object.entries(providers))('%s', (_, connect) => {
  async function opened() {
    const provider = connect();
    const zone = await provider.account.findZone('shop.example.com');
    if (!zone) throw new Error('The account has no zone.');
    return { ...provider, zone };
  }

  test('the TXT record is added beside the others, and removed without them', async () => {
    const { account, zone, add, records } = await opened();
    foreign.forEach(add);
    const seen: number[] = [];
    const beforeWrite = async () => void seen.push(records().length);
    expect(zone.isConfirmed).toBe(true);
    expect(await account.addTxt(zone, wanted, beforeWrite)).toBe('created');
    expect(records()).toEqual([...foreign, own]);
    expect(await account.addTxt(zone, wanted, beforeWrite)).toBe('unchanged');
    expect(seen, 'noted before the write, and only then').toEqual([foreign.length]);
    await account.removeTxt(zone, wanted);
    expect(records()).toEqual(foreign);
    await account.removeTxt(zone, wanted);
    expect(records()).toEqual(foreign);
  });

  test('the TXT record is refused beside an alias, and nothing is noted or changed', async () => {
    const { account, zone, add, records } = await opened();
    add({ type: 'CNAME', name: '_longshore.shop', value: 'elsewhere.example.net' });
    const before = records();
    const added = account.addTxt(zone, wanted, () => Promise.reject(new Error('noted')));
    await expect(added).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('CNAME record that points to elsewhere.example.net'),
    });
    expect(records()).toEqual(before);
  });
});
