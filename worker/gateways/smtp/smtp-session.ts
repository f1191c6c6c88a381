/** One mail over one connection: RFC 5321, with STARTTLS (RFC 3207) and AUTH (RFC 4954). */

import { addressOf, base64OfText, type Mail, mailText } from '../../domain/alerts/notifications/mail-text.ts';
import type { SmtpServer } from '../../domain/alerts/notifications/smtp-server.ts';
import { MailFailure, type SmtpAnswer, SmtpAnswers } from './smtp-answers.ts';

/** The part of a socket that a session uses. */
export interface SmtpSocket {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
  /** The certificate must match the host name of the connection. */
  startTls(): SmtpSocket;
  close(): Promise<void>;
}

/** RFC 5321, 4.1.3: neither the Worker nor its host has a name that a server could look up. */
const clientName = '[127.0.0.1]';
const shownMax = 300;

/**
 * Delivers a mail to all receivers that the server accepts.
 * @returns a sentence with the server's answer, and the receivers that it refused
 * @throws MailFailure if the server accepts no receiver, or refuses the mail
 */
export async function sendMail(
  session: SmtpSession,
  mail: Mail,
): Promise<{ code: number; detail: string; refused: string[] }> {
  await session.greet();
  await session.signIn();
  const refused = await session.address(mail);
  const { code, lines } = await session.deliver(mailText(mail));
  const detail = `The mail server took the mail (${code} ${session.shown(lines)}).`;
  return {
    code,
    detail: refused.length === 0 ? detail : `${detail} It refused ${refused.join('; ')}.`,
    refused,
  };
}

export class SmtpSession {
  #socket: SmtpSocket;
  #answers: SmtpAnswers;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #server: SmtpServer;
  #abilities: string[] = [];

  constructor(socket: SmtpSocket, server: SmtpServer) {
    this.#socket = socket;
    this.#answers = new SmtpAnswers(socket.readable);
    this.#writer = socket.writable.getWriter();
    this.#server = server;
  }

  async greet(): Promise<void> {
    expectCode(220, await this.#answers.next(), 'the connection', this);
    await this.#hello();
    if (this.#server.security === 'starttls') await this.#startTls();
  }

  async #hello(): Promise<void> {
    const { lines } = await this.#command(`EHLO ${clientName}`, 250, 'the greeting');
    this.#abilities = lines.slice(1).map((line) => line.toUpperCase());
  }

  async #startTls(): Promise<void> {
    if (!this.#abilities.includes('STARTTLS')) {
      throw new MailFailure(
        'The mail server offers no STARTTLS at this port: try port 465 with "security": "tls".',
      );
    }
    await this.#command('STARTTLS', 220, 'STARTTLS');
    this.#answers.release();
    this.#writer.releaseLock();
    this.#socket = this.#socket.startTls();
    this.#answers = new SmtpAnswers(this.#socket.readable);
    this.#writer = this.#socket.writable.getWriter();
    await this.#hello();
  }

  async signIn(): Promise<void> {
    const { username, password } = this.#server;
    if (username === undefined || password === undefined) return;
    const ways = this.#abilities.find((line) => /^AUTH[ =]/.test(line))?.split(/[ =]/) ?? [];
    if (ways.includes('PLAIN')) {
      const both = base64OfText(`\0${username}\0${password}`);
      await this.#command(`AUTH PLAIN ${both}`, 235, 'the user name or password');
    } else if (ways.includes('LOGIN')) {
      await this.#command('AUTH LOGIN', 334, 'the sign-in');
      await this.#command(base64OfText(username), 334, 'the user name');
      await this.#command(base64OfText(password), 235, 'the user name or password');
    } else {
      throw new MailFailure('The mail server offers no sign-in by password (AUTH PLAIN or LOGIN).');
    }
  }

  /** @returns the refused receivers with reasons */
  async address({ from, to }: Mail): Promise<string[]> {
    await this.#command(`MAIL FROM:<${addressOf(from)}>`, 250, 'the sender');
    const refused: string[] = [];
    let first: SmtpAnswer | undefined;
    for (const receiver of to) {
      const answer = await this.#ask(`RCPT TO:<${receiver}>`);
      if (answer.code === 250 || answer.code === 251) continue;
      first ??= answer;
      refused.push(`${receiver} (${answer.code} ${this.shown(answer.lines)})`);
    }
    if (first && refused.length === to.length) {
      throw new MailFailure(`The mail server refused ${refused.join('; ')}.`, first.code);
    }
    return refused;
  }

  /** @param text ends with CRLF. A dot at the beginning of a line is doubled: RFC 5321, 4.5.2 */
  async deliver(text: string): Promise<SmtpAnswer> {
    await this.#command('DATA', 354, 'the mail');
    return this.#command(`${text.replace(/^\./gm, '..')}.`, 250, 'the mail');
  }

  /** Does not wait for the answer. Never throws. */
  async end(): Promise<void> {
    try {
      await Promise.all([this.#write('QUIT'), this.#socket.close()]);
    } catch {
      // The server has already ended the connection.
    }
  }

  /** The server's answer on one line; a repeated password is removed. */
  shown(lines: readonly string[]): string {
    const { username = '', password } = this.#server;
    let text = lines.join(' ');
    if (password !== undefined) {
      for (const secret of [password, base64OfText(password), base64OfText(`\0${username}\0${password}`)])
        text = text.replaceAll(secret, '***');
    }
    return text
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, shownMax)
      .toWellFormed();
  }

  async #command(line: string, wanted: number, what: string): Promise<SmtpAnswer> {
    return expectCode(wanted, await this.#ask(line), what, this);
  }

  async #ask(line: string): Promise<SmtpAnswer> {
    await this.#write(line);
    return this.#answers.next();
  }

  #write(line: string): Promise<void> {
    return this.#writer.write(new TextEncoder().encode(`${line}\r\n`));
  }
}

function expectCode(wanted: number, answer: SmtpAnswer, what: string, session: SmtpSession): SmtpAnswer {
  const { code, lines } = answer;
  if (code === wanted) return answer;
  throw new MailFailure(`The mail server refused ${what} (${code} ${session.shown(lines)}).`, code);
}
