/** Private keys in OpenSSH's own format (PROTOCOL.key of OpenSSH), which ssh-keygen has written by default since 2018. */

const begin = '-----BEGIN OPENSSH PRIVATE KEY-----';
const end = '-----END OPENSSH PRIVATE KEY-----';
const magic = 'openssh-key-v1\0';
const textMax = 16 * 1024;
const lineLength = 70;

export const isSshKeyText = (text: string) => text.startsWith('-----BEGIN ');

/**
 * The public part of a private key, stored unencrypted in the same file; in the format of RFC 4253, 6.6.
 * @returns undefined for text in any other format and for keys with a passphrase, which nobody could enter
 */
export function publicPartOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  const lines = text.trim().split(/\r?\n/);
  if (text.length > textMax || lines.shift() !== begin || lines.pop() !== end) return undefined;
  try {
    const read = reader(Uint8Array.from(atob(lines.join('')), (character) => character.charCodeAt(0)));
    if (read.text(magic.length) !== magic) return undefined;
    const cipher = read.string();
    if (textOf(cipher) !== 'none') return undefined;
    read.string(); // key derivation function
    read.string();
    if (read.number() !== 1) return undefined;
    return read.string();
  } catch {
    return undefined;
  }
}

/** One line of `authorized_keys`, the format that git hosts accept. */
export function publicKeyLine(publicPart: Uint8Array<ArrayBuffer>, comment: string): string {
  const kind = textOf(reader(publicPart).string());
  return `${kind} ${base64(publicPart)} ${comment}`;
}

const ed25519Part = (key: Uint8Array<ArrayBuffer>) => joined(stringOf('ssh-ed25519'), stringOf(key));

/**
 * The text of a private Ed25519 key without a passphrase.
 * @param seed 32 bytes
 * @param check any number; it is stored twice, so that decryption with a wrong passphrase is detected
 */
export function ed25519Text(
  seed: Uint8Array<ArrayBuffer>,
  key: Uint8Array<ArrayBuffer>,
  { comment, check }: { comment: string; check: number },
): string {
  const inner = joined(
    numberOf(check),
    numberOf(check),
    ed25519Part(key),
    stringOf(joined(seed, key)),
    stringOf(comment),
  );
  const padding = new Uint8Array((8 - (inner.length % 8)) % 8).map((_, index) => index + 1);
  const bytes = joined(
    bytesOf(magic),
    stringOf('none'),
    stringOf('none'),
    stringOf(''),
    numberOf(1),
    stringOf(ed25519Part(key)),
    stringOf(joined(inner, padding)),
  );
  const lines = base64(bytes).match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  return `${[begin, ...lines, end].join('\n')}\n`;
}

/** Reads the data types of RFC 4251, section 5. @throws RangeError past the end */
function reader(bytes: Uint8Array<ArrayBuffer>) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (length: number) => {
    if (at + length > bytes.length) throw new RangeError('the key ends too early');
    at += length;
    return bytes.slice(at - length, at);
  };
  const number = () => {
    const value = view.getUint32(at);
    at += 4;
    return value;
  };
  return { number, string: () => take(number()), text: (length: number) => textOf(take(length)) };
}

const textOf = (bytes: Uint8Array<ArrayBuffer>) => new TextDecoder().decode(bytes);
const bytesOf = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const base64 = (bytes: Uint8Array<ArrayBuffer>) => btoa(String.fromCharCode(...bytes));

function numberOf(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function stringOf(value: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = typeof value === 'string' ? bytesOf(value) : value;
  return joined(numberOf(bytes.length), bytes);
}

function joined(...parts: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
