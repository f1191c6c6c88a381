/** The certificate that the owner of a domain provides. Its key is never returned. */

import { z } from 'zod';
import { proxyResultSchema } from '../../../protocol/host-task.ts';
import { exampleTime, note } from '../../../protocol/note.ts';
import { ownCertificateBody } from '../../domain/domains/own-certificate.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { domainResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  findOwnCertificate,
  type OwnCertificate,
  removeOwnCertificate,
  setOwnCertificate,
} from '../../usecases/domains/own-certificates.ts';

const path = '/api/services/:serviceId/domains/:domainId/certificate';

const ownCertificate = z
  .strictObject({
    names: z
      .array(z.string())
      .meta({ description: 'Names that it is valid for.', examples: [['shop.example.com']] }),
    issuer: z.string().meta({ description: 'Name of the CA that signed it.', examples: ['Example CA'] }),
    validFrom: timestampSchema.meta(note('When the certificate begins to be valid.', exampleTime)),
    expiresAt: timestampSchema.meta(notes.expiresAt),
    fingerprint: z.string().meta({
      description: 'SHA-256 of the certificate, in hexadecimal.',
      examples: ['0f3a7c0e9b1d5a64c2f8e7b3d1a09c55e4f6b7a8091c2d3e4f5a6b7c8d9e0f11'],
    }),
    keyType: z.string().meta({ description: 'Kind of its key.', examples: ['EC P-256'] }),
    chainLength: z
      .number()
      .int()
      .meta({ description: 'Certificates that the proxy sends, with that of the name.', examples: [2] }),
    updatedAt: timestampSchema.meta(notes.updatedAt),
  })
  .nullable()
  .meta({ description: 'The certificate that was given for the domain; null: it has an automatic one.' });

function present({ facts, updatedAt }: OwnCertificate): z.infer<typeof ownCertificate> {
  const { notBefore, expiresAt, names, issuer, fingerprint, keyType, chainLength } = facts;
  return {
    names,
    issuer,
    validFrom: timestamp(notBefore),
    expiresAt: timestamp(expiresAt),
    fingerprint,
    keyType,
    chainLength,
    updatedAt: timestamp(updatedAt),
  };
}

const read = defineRoute({
  method: 'GET',
  path,
  access: 'read',
  summary: 'Read what is known of the certificate that was given for a domain. Its key is never returned.',
  resource: domainResource,
  reply: z.strictObject({ ownCertificate }),
  async handle({ deps, resource: { domain } }) {
    const own = await findOwnCertificate(deps, domain.id);
    return { ownCertificate: own ? present(own) : null };
  },
});

const set = defineRoute({
  method: 'PUT',
  path,
  access: 'write',
  summary:
    'Give a domain a certificate of its own, with its key, instead of an automatic one. It is served at once, and replaces the one that was given before.',
  resource: domainResource,
  body: ownCertificateBody,
  reply: z.strictObject({
    ok: z.literal(true).meta(notes.ok),
    ownCertificate,
    proxy: proxyResultSchema.meta(notes.proxy),
  }),
  async handle({ deps, resource, body }) {
    const { own, proxy } = await setOwnCertificate(deps, resource, body);
    return { ok: true as const, ownCertificate: present(own), proxy };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path,
  access: 'write',
  summary: 'Remove the certificate that was given for a domain, which then has an automatic one again.',
  resource: domainResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok), proxy: proxyResultSchema.meta(notes.proxy) }),
  async handle({ deps, resource: { domain } }) {
    return { ok: true as const, proxy: await removeOwnCertificate(deps, domain) };
  },
});

export const ownCertificateRoutes: AnyRoute[] = [read, set, remove];
