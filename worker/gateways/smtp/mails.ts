/** Sends mails by the mail servers that users chose, over TCP. */
import type { Mail } from '../../domain/notifications/mail-text.ts';
import type { SmtpServer } from '../../domain/notifications/smtp-server.ts';
import { MailFailure } from './smtp-answers.ts';
import { SmtpSession, type SmtpSocket, sendMail } from './smtp-session.ts';

export interface Mails {
  /**
   * @returns what the server answered, and whom it refused
   * @throws MailFailure if it did not take the mail in time
   */
  send(server: SmtpServer, mail: Mail): Promise<{ code: number; detail: string; refused: string[] }>;
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

/** @param timeLimitMs from the connection to the answer to the mail */
export function createMails(connect: Connect, timeLimitMs: number): Mails {
  return {
    async send(server, mail) {
      const { host: hostname, port, security } = server;
      const time = timeLimit(timeLimitMs);
      let session: SmtpSession | undefined;
      try {
        const socket = connect(
          { hostname, port },
          { secureTransport: transports[security], allowHalfOpen: false },
        );
        session = new SmtpSession(socket, server);
        await Promise.race([socket.opened, time.over]);
        return await Promise.race([sendMail(session, mail), time.over]);
      } catch (error) {
        if (error instanceof MailFailure) throw error;
        const words = error instanceof Error ? error.message : String(error);
        throw new MailFailure(`The mail server could not be reached: ${words.slice(0, wordsMax)}`);
      } finally {
        time.end();
        void session?.end();
      }
    },
  };
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
