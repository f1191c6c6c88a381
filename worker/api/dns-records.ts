/** DNS records of custom domains, created at a connected DNS provider. */
import { z } from 'zod';
import { dnsProviderIds } from '../domain/domains/dns-providers.ts';
import { dnsActions } from '../domain/domains/dns-records.ts';
import { domainResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { checkDomains } from '../usecases/domains/check-domains.ts';
import { setUpDns } from '../usecases/domains/set-up-dns.ts';
import { domainSchema, presentDomain } from './present/present-overview.ts';

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
  }),
  reply: z.strictObject({
    ok: z.literal(true),
    result: z.strictObject({
      provider: z.enum(dnsProviderIds),
      providerName: z.string(),
      action: z.enum(dnsActions),
      hostname: z.string(),
      recordType: z.enum(['A', 'AAAA']),
      host: z.string(),
      zone: z.string(),
      targetIp: z.string(),
    }),
    domain: domainSchema,
    /** The TXT record that verifies the domain, if it needs one and the account is its tenant's. */
    verificationRecord: z
      .strictObject({
        recordType: z.literal('TXT'),
        name: z.string(),
        value: z.string(),
        action: z.enum(['created', 'unchanged', 'failed']),
        detail: z.string().nullable(),
      })
      .optional(),
  }),
  async handle({ deps, resource, body, waitUntil }) {
    const { domain, token, result, verificationRecord } = await setUpDns(deps, resource, body.providerId);
    const hasChanged = result.action !== 'unchanged' || !resource.domain.isVerified;
    if (hasChanged) waitUntil(checkDomains(deps, resource.service));
    const answer = { ok: true as const, result, domain: presentDomain(domain, token) };
    return verificationRecord ? { ...answer, verificationRecord } : answer;
  },
});

export const dnsRecordRoutes: AnyRoute[] = [create];
