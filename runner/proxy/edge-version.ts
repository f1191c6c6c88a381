/** Reads the version of edge's state on Caddy's own path, so an answer also proves that Caddy gets one. */
import { connect } from 'node:net';
import dns from 'dns-packet';
import { stateRecordName } from './route-names.ts';

const question = dns.encode({
  type: 'query',
  id: 1,
  questions: [{ type: 'TXT', name: stateRecordName }],
});

/** @returns `undefined` if there is no valid answer within the limit */
export function askVersion(dnsSocket: string, limitMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect(dnsSocket);
    const end = (version?: number) => {
      resolve(version);
      socket.destroy();
    };
    socket.setTimeout(limitMs, end);
    socket.on('error', () => end()).on('close', () => end());
    socket.once('data', (packet) => end(versionIn(packet)));
    socket.write(question);
  });
}

function versionIn(packet: Buffer): number | undefined {
  const version = textsIn(packet)
    .find((text) => text.startsWith('version='))
    ?.slice('version='.length);
  return version === undefined ? undefined : Number(version);
}

function textsIn(packet: Buffer): string[] {
  try {
    const { answers = [] } = dns.decode(packet);
    return answers.flatMap((answer) => (answer.type === 'TXT' ? [answer.data].flat().map(String) : []));
  } catch {
    // dns-packet throws on malformed bytes, which are no answer.
    return [];
  }
}
