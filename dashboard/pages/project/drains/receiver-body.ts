/** The receiver of a log drain as typed by the user, and the body that sets it. */
import type { PostProjectLogDrainsBody } from '../../../../client/client.ts';

export type DrainKind = 'http' | 'otlp' | 'syslog';

export interface ReceiverDraft {
  kind: DrainKind;
  url: string;
  /** One header per line: `name: value`. */
  headers: string;
  host: string;
  port: string;
  tls: boolean;
  ca: string;
}

export const newReceiver: ReceiverDraft = {
  ...{ kind: 'http', url: '', headers: '' },
  ...{ host: '', port: '6514', tls: true, ca: '' },
};

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

/** The first line that is not a header; undefined: all are. */
export const wrongHeader = (text: string): string | undefined =>
  linesOf(text).find((line) => line.indexOf(':') < 1);

/** @param text one header per line */
export function headersOf(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

export function receiverBody(draft: ReceiverDraft): Pick<PostProjectLogDrainsBody, DrainKind> {
  const { kind, url, headers, host, port, tls, ca } = draft;
  if (kind !== 'syslog') return { [kind]: { url: url.trim(), headers: headersOf(headers) } };
  return { syslog: { host: host.trim(), port: Number(port), tls, ca: tls && ca.trim() !== '' ? ca : null } };
}
