import { expect, test } from 'vitest';
import { pemBlocks } from '../../dashboard/pages/service/domain/pem-blocks.ts';

const block = (kind: string, body: string) => `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----\n`;
const [leaf, root] = [block('CERTIFICATE', 'MIIA'), block('CERTIFICATE', 'MIIB')];

test('a file with a key among its certificates is told apart, whatever stands between them', () => {
  const key = block('EC PRIVATE KEY', 'MHcC');
  const params = block('EC PARAMETERS', 'Bggq');
  expect(pemBlocks(`Bag Attributes\r\n${leaf}${params}${key}subject=a\n${root}`)).toEqual({
    certificate: `${leaf}${root}`,
    privateKey: key,
  });
});

test('a text without a whole block has neither', () => {
  expect(pemBlocks('-----BEGIN CERTIFICATE-----\nMIIA')).toEqual({ certificate: '', privateKey: '' });
});
