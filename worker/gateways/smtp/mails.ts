/** Sends mails over TCP by mail servers that users chose. */
import type { Mail } from '../../domain/alerts/notifications/mail-text.ts';
import type { SmtpServer } from '../../domain/alerts/notifications/smtp-server.ts';
import { MailFailure } from './smtp-answers.ts';
import { SmtpSession, type SmtpSocket, sendMail } from './smtp-session.ts';

export interface Mails {
  /**
   * @param allowsPrivate whether the host name may resolve to a private address
   * @returns the server's answer, and the receivers that it refused
   * @throws MailFailure if the server did not accept the mail in time
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

/** @param connect opens a TCP connection, like the function of `cloudflare:sockets` */
type Connect = (
  address: { hostname: string; port: number },
  options: { secureTransport: 'on' | 'off' | 'starttls'; allowHalfOpen: false },
) => OpenSocket;

const transports = { tls: 'on', starttls: 'starttls', none: 'off' } as const;
const wordsMax = 200;

/**
 * @param timeLimitMs limit from the connection to the answer to the mail
 * @param innerConnect also reaches private addresses (networks)
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

/** workerd's message for an unknown name, a closed port or an untrusted certificate: only its own log has the reason. */
const emptyWords = /^(internal error|proxy request failed)/;

function reasonOf(error: unknown, { host, security }: SmtpServer): string {
  const words = error instanceof Error ? error.message : String(error);
  const certificate = `, and that its certificate is valid for ${host}, has not expired, and is of a known certification authority`;
  const known = emptyWords.test(words) ? '' : ` (${words.slice(0, wordsMax)})`;
  return `check "host" and "port"${security === 'none' ? '' : certificate}${known}.`;
}

function timeLimit(ms: number): { over: Promise<never>; end(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined); // the promise has no reader any more
  const timer = setTimeout(
    () => reject(new MailFailure(`The mail server did not take the mail within ${ms / 1000} s.`)),
    ms,
  );
  return { over: promise, end: () => clearTimeout(timer) };
}
