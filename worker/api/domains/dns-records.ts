/** DNS records of custom domains, created at a connected DNS provider. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { dnsProviderIds } from '../../domain/domains/dns-providers.ts';
import { dnsActions } from '../../domain/domains/dns-records.ts';
import { ApiError } from '../../domain/errors.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { domainResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute, keyOf, type Principal } from '../../http/route.ts';
import { assertLevelIn } from '../../usecases/assert-level-in.ts';
import { checkDomains } from '../../usecases/domains/check-domains.ts';
import { setUpDns } from '../../usecases/domains/set-up-dns.ts';
import { domainSchema, presentDomain } from '../present/present-overview.ts';

/** DNS records of other people in the operator's zones belong to no project. @throws ApiError `forbidden` */
function assertForAllProjects(principal: Principal): void {
  const key = keyOf(principal);
  assertLevelIn(key, null, 'write');
  if (!key.allProjects)
    throw new ApiError('forbidden', 'The field "replace" needs a key or a member for all projects.');
}

const create = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/domains/:domainId/dns-records',
  access: 'write',
  summary: 'Create or update the DNS record that points the domain to the host, at a connected DNS provider.',
  resource: domainResource,
  body: z.strictObject({
    providerId: z
      .enum(dnsProviderIds)
      .optional()
      .describe('Absent: the connected provider whose account has the zone of the domain.'),
    replace: z
      .boolean()
      .default(false)
      .describe(
        'Also changes a record that points to no host of this instance. Needs a key for all projects.',
      ),
  }),
  reply: z.strictObject({
    ok: z.literal(true).meta(notes.ok),
    result: z.strictObject({
      provider: z.enum(dnsProviderIds).describe('The provider that answered.'),
      providerName: z.string().meta(note('Its name, for people.', 'Cloudflare')),
      action: z.enum(dnsActions).meta(notes.action),
      hostname: z.string().meta(notes.hostname),
      recordType: z.enum(['A', 'AAAA']).meta(notes.recordType),
      host: z.string().meta(note('Name of the record in its zone.', 'shop')),
      zone: z.string().meta(note('The DNS zone of the record.', 'example.com')),
      targetIp: z.string().meta(notes.targetIp),
    }),
    domain: domainSchema,
    /** The TXT record that verifies the domain, if the domain needs one and the DNS account belongs to its tenant. */
    verificationRecord: z
      .strictObject({
        recordType: z.literal('TXT').meta(notes.recordType),
        name: z.string().meta(notes.recordName),
        value: z.string().meta(notes.recordValue),
        action: z.enum(['created', 'unchanged', 'failed']).meta(notes.action),
        detail: z.string().nullable().meta(notes.detail),
      })
      .optional()
      .describe('The TXT record that was made to verify the name.'),
  }),
  async handle({ deps, resource, body, principal, addToAudit, waitUntil }) {
    if (body.replace) assertForAllProjects(principal);
    const wanted = { given: body.providerId, replaces: body.replace };
    const { domain, token, result, replaced, verificationRecord } = await setUpDns(deps, resource, wanted);
    if (replaced.length > 0) addToAudit({ hostname: domain.hostname, replaced });
    const hasChanged = result.action !== 'unchanged' || !resource.domain.isVerified;
    if (hasChanged) waitUntil(checkDomains(deps, resource.service));
    const answer = { ok: true as const, result, domain: presentDomain(domain, token) };
    return verificationRecord ? { ...answer, verificationRecord } : answer;
  },
});

export const dnsRecordRoutes: AnyRoute[] = [create];
