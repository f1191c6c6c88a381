/** Sends mails by the mail servers that users chose, over TCP. */
import type { Mail } from '../../domain/events/notifications/mail-text.ts';
import type { SmtpServer } from '../../domain/events/notifications/smtp-server.ts';
import { MailFailure } from './smtp-answers.ts';
import { SmtpSession, type SmtpSocket, sendMail } from './smtp-session.ts';

export interface Mails {
  /**
   * @param allowsPrivate whether a name may lead to a private address
   * @returns what the server answered, and whom it refused
   * @throws MailFailure if it did not take the mail in time
   */
  send(
    server: SmtpServer,
    mail: Mail,
    allowsPrivate: boolean,
  ): Promise<{ code: number; detail: string; refused: string[] }>;
}

interface OpenSocket extends SmtpSocket {
  opened: Promise<unknown>;
}

/** @param connect opens a TCP connection, as that of `cloudflare:sockets` does */
type Connect = (
  address: { hostname: string; port: number },
  options: { secureTransport: 'on' | 'off' | 'starttls'; allowHalfOpen: false },
) => OpenSocket;

const transports = { tls: 'on', starttls: 'starttls', none: 'off' } as const;
const wordsMax = 200;

/**
 * @param timeLimitMs from the connection to the answer to the mail
 * @param innerConnect reaches private addresses, too (networks)
 */
export function createMails(connect: Connect, timeLimitMs: number, innerConnect: Connect = connect): Mails {
  return {
    async send(server, mail, allowsPrivate) {
      const { host: hostname, port, security } = server;
      const time = timeLimit(timeLimitMs);
      let session: SmtpSession | undefined;
      try {
        const open = allowsPrivate ? innerConnect : connect;
        const socket = open(
          { hostname, port },
          { secureTransport: transports[security], allowHalfOpen: false },
        );
        session = new SmtpSession(socket, server);
        await Promise.race([socket.opened, time.over]);
        return await Promise.race([sendMail(session, mail), time.over]);
      } catch (error) {
        if (error instanceof MailFailure) throw error;
        throw new MailFailure(`The mail server could not be reached: ${reasonOf(error, server)}`);
      } finally {
        time.end();
        void session?.end();
      }
    },
  };
}

/** workerd's words for an unknown name, a closed port and an untrusted certificate: its own log has the reason. */
const emptyWords = /^(internal error|proxy request failed)/;

function reasonOf(error: unknown, { host, security }: SmtpServer): string {
  const words = error instanceof Error ? error.message : String(error);
  const certificate = `, and that its certificate is valid for ${host}, has not expired, and is of a known certification authority`;
  const known = emptyWords.test(words) ? '' : ` (${words.slice(0, wordsMax)})`;
  return `check "host" and "port"${security === 'none' ? '' : certificate}${known}.`;
}

function timeLimit(ms: number): { over: Promise<never>; end(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined); // nobody waits any more
  const timer = setTimeout(
    () => reject(new MailFailure(`The mail server did not take the mail within ${ms / 1000} s.`)),
    ms,
  );
  return { over: promise, end: () => clearTimeout(timer) };
}
