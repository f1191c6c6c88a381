/**
 * Preloaded into the programs of an instance (`NODE_OPTIONS=--import=...`): replaces Namecheap and the DNS by those of a test. All names lead to
 * this machine, and all zones have one name server.
 */
import { Resolver } from 'node:dns/promises';
import { namecheapUrl } from '../../../runner/host/namecheap/namecheap-api.ts';

const { TEST_NAMECHEAP_URL = '', TEST_NAME_SERVER = '', TEST_ZONE = '' } = process.env;

const realFetch = globalThis.fetch;
globalThis.fetch = (input, init) => realFetch(input === namecheapUrl ? TEST_NAMECHEAP_URL : input, init);

const none = () => Promise.reject(Object.assign(new Error('no such record'), { code: 'ENODATA' }));
Object.assign(Resolver.prototype, {
  resolveNs: (zone: string) => (zone === TEST_ZONE ? Promise.resolve(['ns.test']) : none()),
  resolve4: (name: string) => Promise.resolve([name === 'ns.test' ? TEST_NAME_SERVER : '127.0.0.1']),
  resolve6: none,
});
