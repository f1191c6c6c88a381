/** DNS records of custom domains, created at a connected DNS provider. */
import { z } from 'zod';
import { dnsProviderIds } from '../domain/domains/dns-providers.ts';
import { dnsActions } from '../domain/domains/dns-records.ts';
import { ApiError } from '../domain/errors.ts';
import { domainResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute, keyOf, type Principal } from '../http/route.ts';
import { assertLevelIn } from '../usecases/assert-level-in.ts';
import { checkDomains } from '../usecases/domains/check-domains.ts';
import { setUpDns } from '../usecases/domains/set-up-dns.ts';
import { domainSchema, presentDomain } from './present/present-overview.ts';

/** Records of others in the operator's zones belong to no project. @throws ApiError `forbidden` */
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
