/** Data about the mail servers for tests in workerd. */
export const mailPassword = 'hunter2 \u00e4"';

/** A mail as the server received it, parsed by a third-party library. */
export interface ReceivedMail {
  raw: string;
  isEncrypted: boolean;
  user: string | null;
  from: string;
  to: string[];
  parsed: {
    subject: string;
    text: string;
    from: { name: string; address: string };
    messageId: string;
    date: string;
  };
}

export interface MailServers {
  ports: Record<'tls' | 'starttls' | 'plain' | 'silent' | 'ssh' | 'endless' | 'injecting', number>;
  /** `GET URL?to=ADDRESS`: the mails to a receiver, as JSON. */
  receivedUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    mail: MailServers;
  }
}
