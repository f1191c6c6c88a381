/**
 * The few answers and bodies of S3 that are XML. Their elements are flat and without attributes of meaning, so they are taken by name,
 * strictly: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
import type { PartTag } from './blobs.ts';

/** The text of the first element of that name; undefined for none. */
export const textIn = (xml: string, element: string): string | undefined => elementsIn(xml, element)[0];

/** What is inside of each element of that name, entities replaced where it is text. */
export function elementsIn(xml: string, element: string): string[] {
  const found = xml.matchAll(new RegExp(`<${element}(?:\\s[^>]*)?>([\\s\\S]*?)</${element}>`, 'g'));
  return [...found].map(([, inside = '']) => (inside.includes('<') ? inside : decoded(inside)));
}

/** Code of an error, also of one inside an answer of status 200; undefined when it is none. */
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

/** Its answer names failures alone (`Quiet`). */
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
