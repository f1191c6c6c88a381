/** The text of a mail with one plain part: RFC 5322, with RFC 2045 (quoted-printable) and RFC 2047 (headers that are not ASCII). */

/** The content of a mail. Only the text may contain line breaks. */
export interface Mail {
  /** The sender, with or without a name: `Longshore <deploys@example.com>`. */
  from: string;
  to: readonly string[];
  subject: string;
  text: string;
  /** The same at each attempt, so that receivers can drop a mail that arrives twice. Without angle brackets. */
  messageId: string;
  /** Epoch milliseconds. */
  date: number;
}

/** The mail with CRLF at the end of each line. All bytes are ASCII, and no line is longer than 998 bytes (RFC 5322, 2.1.1). */
export function mailText({ from, to, subject, text, messageId, date }: Mail): string {
  const headers = {
    From: sender(from),
    To: to.join(',\r\n '),
    Subject: headerText(subject),
    Date: new Date(date).toUTCString().replace('GMT', '+0000'),
    'Message-ID': `<${messageId}>`,
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': 'quoted-printable',
    // RFC 3834: prevents automatic answers, such as holiday notices.
    'Auto-Submitted': 'auto-generated',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n${quotedPrintable(text)}\r\n`;
}

/** The address in `Name <address>`. */
export const addressOf = (from: string): string => /<([^<>]*)>$/.exec(from)?.[1] ?? from;

function sender(from: string): string {
  const address = addressOf(from);
  const name = from.slice(0, -(address.length + 2)).trim();
  if (name === '') return address;
  return `${isPlain(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : headerText(name)} <${address}>`;
}

const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text);
/** Length without the name of the header, so that the first line stays below 78 characters. */
const plainHeaderMax = 66;
/** A line with an encoded word has at most 76 characters: 12 around it, the name of the header, and 4 of base64 for 3 bytes. */
const wordBytes = 39;

/** A header's text: unchanged, or in encoded words of whole characters. */
function headerText(text: string): string {
  const oneLine = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (isPlain(oneLine) && oneLine.length <= plainHeaderMax && !oneLine.includes('=?')) return oneLine;
  const words = [''];
  for (const character of oneLine) {
    const longer = (words.at(-1) ?? '') + character;
    if (bytesOf(longer).length <= wordBytes) words[words.length - 1] = longer;
    else words.push(character);
  }
  return words.map((word) => `=?utf-8?B?${base64OfText(word)}?=`).join('\r\n ');
}

/** The length of an encoded line without the `=` of a soft break. */
const encodedLineMax = 75;

function quotedPrintable(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map(encodedLine)
    .join('\r\n');
}

function encodedLine(line: string): string {
  const parts = [...bytesOf(line)].map((byte, at, all) => encodedByte(byte, at === all.length - 1));
  let lines = '';
  let length = 0;
  for (const part of parts) {
    if (length + part.length > encodedLineMax) {
      lines += '=\r\n';
      length = 0;
    }
    lines += part;
    length += part.length;
  }
  return lines;
}

/** Servers may remove spaces and tabs at the end of a line. */
function encodedByte(byte: number, isLast: boolean): string {
  const isBlank = byte === 0x20 || byte === 0x09;
  const isText = byte >= 0x21 && byte <= 0x7e && byte !== 0x3d;
  if (isText || (isBlank && !isLast)) return String.fromCharCode(byte);
  return `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Base64 of a text's UTF-8. */
export const base64OfText = (text: string): string => btoa(String.fromCharCode(...bytesOf(text)));
