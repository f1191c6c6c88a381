import { z } from 'zod';

/** RFC 1035 and 1123: at most 253 characters, labels of 1 to 63 letters, digits and inner dashes. */
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const hostnameMax = 253;

/** A host name in ASCII of at least two labels, lower-cased; no IP address, no wildcard. */
export const hostnameSchema = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine(isHostname, 'must be a host name, such as "apps.example.com"');

function isHostname(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= hostnameMax &&
    labels.length >= 2 &&
    labels.every((one) => label.test(one)) &&
    // A last label of digits alone would be read as part of an IPv4 address.
    !/^\d+$/.test(labels.at(-1) ?? '')
  );
}
