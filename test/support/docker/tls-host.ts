/** A data path with its own CA, and clients that inspect certificates. */
import { once } from 'node:events';
import { request } from 'node:https';
import { connect } from 'node:tls';
import type { CertificateState } from '../../../protocol/domain-state.ts';
import { type DnsAsk, realDns } from '../../../runner/proxy/certificates/wildcard/served-txt.ts';
import { until } from '../runner/until.ts';
import { type Pebble, type PebbleOptions, startPebble } from '../servers/pebble.ts';
import { startTestProxy, type TestProxy, testConfig } from './test-proxy.ts';

export interface TlsHost extends TestProxy {
  ca: Pebble;
  stateOf(name: string): CertificateState;
  /** Waits for this state and returns it. */
  reached(name: string, state: CertificateState['state']): Promise<CertificateState>;
}

export interface Served {
  issuer: string;
  serial: string;
  expiresAt: number;
}

/** Certificates with a lifetime of seconds are checked more often than those with months. */
const lookMs = 300;

/** @param options ports that no challenge can reach; lifetime of certificates */
export async function startTlsHost(options: Partial<PebbleOptions> = {}): Promise<TlsHost> {
  const config = await testConfig();
  const ca = await startPebble({ httpPort: config.httpPort, tlsPort: config.httpsPort, ...options });
  const acmeDirectory = `https://127.0.0.1:${ca.port}/dir`;
  const acme = { acmeDirectory, acmeEmail: 'ops@example.com', acmeCaRoot: ca.serverRoot };
  const host = await startTestProxy({ ...config, ...acme }, { certificateCheckMs: lookMs, dns: dnsOf(ca) });
  const stateOf = (name: string) => host.proxy.certificates.stateOf(name);
  return Object.assign(host, {
    ca,
    stateOf,
    reached: (name: string, state: CertificateState['state']) =>
      until(`${name} ${state}`, () => {
        const now = stateOf(name);
        return now.state === state && now;
      }),
    end: endAfter(host, ca),
  });
}

/** Treats the name server of the CA as the only name server of every zone. */
const dnsOf = ({ dnsPort }: Pebble): DnsAsk => ({
  nameServers: async () => ['ns.test'],
  addresses: async () => [`127.0.0.1:${dnsPort}`],
  txt: realDns.txt,
});

function endAfter(host: TestProxy, ca: Pebble) {
  const { end } = host;
  return async () => {
    await end();
    await ca.close();
  };
}

/** One handshake. @param trusted PEM of the only trusted root; without it, any certificate is accepted */
export async function handshake(port: number, servername: string, trusted?: string): Promise<Served> {
  const trust = trusted === undefined ? { rejectUnauthorized: false } : { ca: trusted };
  const socket = connect({ host: '127.0.0.1', port, servername, ...trust });
  try {
    await once(socket, 'secureConnect');
    const { issuer, serialNumber, valid_to } = socket.getPeerCertificate();
    return { issuer: String(issuer.CN), serial: serialNumber, expiresAt: Date.parse(valid_to) };
  } finally {
    socket.destroy();
  }
}

/** A GET over HTTPS that verifies the chain and the name. */
export function getSecurely(port: number, servername: string, trusted: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host: servername };
    request({ host: '127.0.0.1', port, servername, ca: trusted, agent: false, headers }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => (body += chunk)).on('end', () => resolve(body));
    })
      .on('error', reject)
      .end();
  });
}
