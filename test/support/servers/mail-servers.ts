/**
 * Mail servers: two based on npm's `smtp-server`, and some that do not speak correct SMTP. The receiver's name decides the behaviour: a server
 * refuses `refused@`, and has no space for the mails of `full@`.
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type MailServers, mailPassword, type ReceivedMail } from '../mail.ts';
import type { SelfSignedCertificate } from '../self-signed-certificate.ts';

const refusal = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code });

function smtpServer(
  received: ReceivedMail[],
  options: SMTPServerOptions & { cert?: string; key?: string },
): SMTPServer {
  const server = new SMTPServer({
    authOptional: true,
    ...options,
    onAuth({ username, password }, _session, done) {
      // A server could write anything into its answer, including the password that it received.
      if (password !== mailPassword) return done(refusal(535, `5.7.8 ${password} is wrong`));
      done(null, { user: username ?? '' });
    },
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('refused@') ? refusal(550, '5.1.1 No such user\u0007') : null);
    },
    async onData(stream, session, done) {
      const raw = await buffer(stream as unknown as Readable);
      const { mailFrom, rcptTo } = session.envelope;
      const to = rcptTo.map(({ address }) => address);
      if (to.some((address) => address.startsWith('full@'))) return done(refusal(452, '4.2.2 No room'));
      const { subject, text, from, messageId, date } = await PostalMime.parse(raw);
      received.push({
        ...{ raw: raw.toString('latin1'), isEncrypted: session.secure, user: session.user || null, to },
        from: mailFrom === false ? '' : mailFrom.address,
        parsed: { subject, text, from, messageId, date } as ReceivedMail['parsed'],
      });
      done(null);
    },
  });
  server.on('error', () => undefined); // a client that does not trust it
  return server;
}

/** A server that greets every client and then answers each line, both with the same function. */
const talking = (answers: (line: string) => string) =>
  createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.write(answers(''));
    socket.on('data', (data) => socket.write(answers(data.toString())));
  });

/** Starts all of them at free ports of `localhost`. */
export async function startMailServers({
  certificate: cert,
  key,
}: SelfSignedCertificate): Promise<MailServers & { close(): Promise<void> }> {
  const received: ReceivedMail[] = [];
  const servers = {
    tls: smtpServer(received, { secure: true, cert, key, authMethods: ['LOGIN'] }).server,
    starttls: smtpServer(received, { cert, key, authMethods: ['PLAIN'] }).server,
    plain: smtpServer(received, { disabledCommands: ['STARTTLS', 'AUTH'] }).server,
    silent: createServer((socket) => void socket.on('error', () => undefined)),
    ssh: talking(() => 'SSH-2.0-OpenSSH_9.9\r\n'),
    endless: talking(() => '250-x\r\n'.repeat(4_000)),
    injecting: talking((line) =>
      line.startsWith('STARTTLS')
        ? '220 go\r\n250 stolen\r\n'
        : line === ''
          ? '220 hi\r\n'
          : '250-me\r\n250 STARTTLS\r\n',
    ),
  };
  const http = createHttpServer((request, response) => {
    const to = new URL(request.url ?? '', 'http://localhost').searchParams.get('to') ?? '';
    response.end(JSON.stringify(received.filter((mail) => mail.to.includes(to))));
  });
  const all = [...Object.values(servers), http] as Server[];
  const sockets = new Set<Socket>();
  for (const server of all) {
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    server.listen(0);
    await once(server, 'listening');
  }
  const portOf = (server: unknown) => ((server as Server).address() as AddressInfo).port;
  return {
    ports: Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [name, portOf(server)]),
    ) as MailServers['ports'],
    receivedUrl: `http://127.0.0.1:${portOf(http)}/`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(all.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
