/** Encryption of the connection: from its start (port 465), by STARTTLS (port 587), or none. */
export const smtpSecurities = ['tls', 'starttls', 'none'] as const;

/** A mail server and the credentials for it. */
export interface SmtpServer {
  host: string;
  port: number;
  security: (typeof smtpSecurities)[number];
  username?: string | undefined;
  password?: string | undefined;
}
