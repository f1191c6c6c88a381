/**
 * Parses and writes the few XML bodies of S3. Their elements are flat and have no relevant attributes, so they are matched by name,
 * strictly: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
import type { PartTag } from './blobs.ts';

/** The text of the first element with this name; undefined if there is none. */
export const textIn = (xml: string, element: string): string | undefined => elementsIn(xml, element)[0];

/** The content of each element with this name; entities of text are decoded. */
export function elementsIn(xml: string, element: string): string[] {
  const found = xml.matchAll(new RegExp(`<${element}(?:\\s[^>]*)?>([\\s\\S]*?)</${element}>`, 'g'));
  return [...found].map(([, inside = '']) => (inside.includes('<') ? inside : decoded(inside)));
}

/** The error code, including one inside a response with status 200; undefined if there is no error. */
export function errorCodeIn(xml: string): string | undefined {
  const error = textIn(xml, 'Error');
  const code = error && textIn(error, 'Code');
  return code && /^[A-Za-z0-9.]{1,80}$/.test(code) ? code : undefined;
}

export function completionXml(tags: readonly PartTag[]): string {
  const parts = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${encoded(tag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload xmlns="${namespace}">${parts.join('')}</CompleteMultipartUpload>`;
}

/** With `Quiet`, the response only lists failures. */
export function deletionXml(keys: readonly string[]): string {
  const objects = keys.map((key) => `<Object><Key>${encoded(key)}</Key></Object>`);
  return `<Delete xmlns="${namespace}"><Quiet>true</Quiet>${objects.join('')}</Delete>`;
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const decoded = (text: string) =>
  text.replace(/&(?:(lt|gt|quot|apos|amp)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/g, (whole, name, decimal, hex) => {
    if (name !== undefined) return entities[name] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
  });

const encoded = (text: string) =>
  text.replace(/[<>&"']/g, (one) => {
    const [name] = Object.entries(entities).find(([, character]) => character === one) ?? [];
    return `&${name};`;
  });
