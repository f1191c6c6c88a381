/** Where a `mongodb+srv://` URL leads, by the answers of a DNS. */
import { expect, test } from 'vitest';
import { parseMongoUrl } from '../../../../protocol/import-source/mongodb-url.ts';
import { membersOf, type Resolver } from '../../../../runner/engines/mongodb/archive/source.ts';

const dns = (srv: { name: string; port: number }[], txt: string[][] = []): Resolver => ({
  srv: async (name) => (name === '_mongodb._tcp.cluster0.example.net' ? srv : []),
  txt: async (name) => (name === 'cluster0.example.net' ? txt : []),
});
const two = [
  { name: 'Shard-00.example.net', port: 27_017 },
  { name: 'shard-01.example.net', port: 27_018 },
];
const url = parseMongoUrl('mongodb+srv://u:p@cluster0.example.net/');

test('the servers of a URL are those that the DNS names, with its authentication database', async () => {
  const found = await membersOf(url, dns(two, [['authSource=the', 'irs&replicaSet=x']]));
  expect(found).toEqual({
    members: [
      { host: 'shard-00.example.net', port: 27_017 },
      { host: 'shard-01.example.net', port: 27_018 },
    ],
    authSource: 'theirs',
  });
  const said = parseMongoUrl('mongodb+srv://u:p@cluster0.example.net/?authSource=mine');
  expect(await membersOf(said, dns(two, [['authSource=theirs']]))).toMatchObject({ authSource: 'mine' });
});

test('the server of a URL without DNS seeds is the one that it names', async () => {
  const named = parseMongoUrl('mongodb://10.0.0.7:7000');
  expect(await membersOf(named, dns(two))).toEqual({
    members: [{ host: '10.0.0.7', port: 7_000 }],
    authSource: null,
  });
});

test('the servers of a URL are refused when the DNS knows none, or names one of another domain', async () => {
  await expect(membersOf(url, dns([]))).rejects.toThrow(/has no servers for cluster0\.example\.net/);
  const foreign = dns([...two, { name: 'db.internal', port: 27_017 }]);
  await expect(membersOf(url, foreign)).rejects.toThrow(/db\.internal.* in another domain/);
});

test('a URL whose name servers give no answer is not said to have no servers', async () => {
  const fails = async () => {
    throw Object.assign(new Error('queryTxt ESERVFAIL'), { code: 'ESERVFAIL' });
  };
  const sentence = 'The name servers of this host gave no answer for cluster0.example.net (ESERVFAIL).';
  await expect(membersOf(url, { ...dns(two), srv: fails })).rejects.toThrow(sentence);
  // Without this record, the users would be looked for in another database.
  await expect(membersOf(url, { ...dns(two), txt: fails })).rejects.toThrow(sentence);
});
