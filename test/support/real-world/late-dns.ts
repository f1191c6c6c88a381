/** A name server with realistic problems: it answers late, partially, only by TCP, differently each time, or not at all. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import dns, { type Answer, type Packet, type Question } from 'dns-packet';
import { freePorts } from '../free-ports.ts';

const [servfail, nxdomain] = [2, 3];

interface Reply {
  answers?: Answer[];
  code?: number;
  lateMs?: number;
  /** Too long for UDP, so the client has to repeat the query by TCP. */
  isTruncated?: boolean;
  isSilent?: boolean;
}

const [four, other, six] = ['203.0.113.7', '203.0.113.8', '2001:db8::7'];

/** Keyed by the first label of the name. `asked`: how often the question was received before. */
const habits: Readonly<Record<string, (type: string, asked: number) => Reply>> = {
  prompt: (type) => addressOf(type),
  late3: (type) => ({ ...addressOf(type), lateMs: 3_000 }),
  late8: (type) => ({ ...addressOf(type), lateMs: 8_000 }),
  'broken-first': (type, asked) => (asked === 0 ? { code: servfail } : addressOf(type)),
  broken: () => ({ code: servfail }),
  'lost-first': (type, asked) => (asked === 0 ? { isSilent: true } : addressOf(type)),
  silent: () => ({ isSilent: true }),
  'half-silent': (type) => (type === 'A' ? addressOf(type) : { isSilent: true }),
  truncated: (type) => ({ ...addressOf(type), isTruncated: true }),
  nobody: () => ({ code: nxdomain }),
  'late-nobody': () => ({ code: nxdomain, lateMs: 3_000 }),
  changing: (type, asked) => addressOf(type, asked % 2 === 0 ? four : other),
  both: (type) => (type === 'AAAA' ? { answers: [{ type, name: '', data: six }] } : addressOf(type)),
};

const addressOf = (type: string, data = four): Reply =>
  type === 'A' ? { answers: [{ type, name: '', data }] } : {};

export interface LateDns {
  /** `127.0.0.1:<port>`, for UDP and TCP. */
  server: string;
  /** The addresses of the names with these habits. */
  addresses: { four: string; other: string; six: string };
  close(): void;
}

export async function openLateDns(): Promise<LateDns> {
  const udp = createSocket('udp4');
  const connections = new Set<Socket>();
  const asked = new Map<string, number>();
  const end = new AbortController();

  const replyTo = async (packet: Packet, isTcp: boolean): Promise<Packet | undefined> => {
    const [question] = packet.questions ?? [];
    if (!question) return undefined;
    const { isSilent, lateMs = 0, isTruncated, code = 0, answers = [] } = replyOf(question);
    if (isSilent) return undefined;
    await delay(lateMs, undefined, { signal: end.signal });
    const cut = isTruncated && !isTcp;
    return {
      ...{ type: 'response', id: packet.id ?? 0, questions: [question] },
      flags: dns.RECURSION_AVAILABLE | code | (cut ? dns.TRUNCATED_RESPONSE : 0),
      answers: cut ? [] : answers.map((answer) => ({ ...answer, name: question.name })),
    };
  };
  const replyOf = ({ name, type }: Question): Reply => {
    const key = `${name} ${type}`;
    const before = asked.get(key) ?? 0;
    asked.set(key, before + 1);
    return habits[name.split('.')[0] ?? '']?.(type, before) ?? { code: nxdomain };
  };

  const overUdp = async (message: Buffer, from: RemoteInfo) => {
    const reply = await replyTo(dns.decode(message), false).catch(() => undefined);
    if (reply && !end.signal.aborted) udp.send(dns.encode(reply), from.port, from.address);
  };
  const overTcp = async (message: Buffer, socket: Socket) => {
    const reply = await replyTo(dns.streamDecode(message), true).catch(() => undefined);
    if (reply && !socket.destroyed) socket.write(dns.streamEncode(reply));
  };
  udp.on('message', (message, from) => void overUdp(message, from));
  const tcp = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined).on('close', () => connections.delete(socket));
    socket.on('data', (message) => void overTcp(message, socket));
  });
  // Free for both protocols.
  const [port] = await freePorts(1);
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => tcp.listen(port, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${port}`,
    addresses: { four, other, six },
    close: () => {
      end.abort();
      for (const socket of connections) socket.destroy();
      udp.close();
      tcp.close();
    },
  };
}
