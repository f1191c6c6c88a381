/** How the connection is encrypted: from its begin (port 465), by STARTTLS (port 587), or not at all. */
export const smtpSecurities = ['tls', 'starttls', 'none'] as const;

/** A mail server, and how to sign in. */
export interface SmtpServer {
  host: string;
  port: number;
  security: (typeof smtpSecurities)[number];
  username?: string | undefined;
  password?: string | undefined;
}
