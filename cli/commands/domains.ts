/** `domains`: the public names of a service. */
import { existsSync } from 'node:fs';
import { buildRouteMap } from '@stricli/core';
import { type Domain, pointsElsewhere } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { confirm } from '../base/prompts.ts';
import { table } from '../base/table.ts';
import { missingName } from '../names/nearest.ts';
import { hostnames } from '../proposals.ts';
import {
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceFlags,
  switchFlag,
} from '../session.ts';

const nameArgument = {
  kind: 'tuple',
  parameters: [{ brief: 'Host name', parse: String, placeholder: 'name' }],
} as const;

/** The name of a domain that the service has. */
const ownNameArgument = {
  kind: 'tuple',
  parameters: [{ ...nameArgument.parameters[0], proposeCompletions: hostnames }],
} as const;

const list = buildCommand({
  docs: { brief: 'List the domains of a service with their state and certificate' },
  parameters: { flags: serviceFlags, aliases },
  async func(this: CommandLine, flags: ServiceFlags) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const { domains } = await session.client.call('GET /api/services/:serviceId/overview', {
      params: { serviceId: service.id },
    });
    const rows = domains.map((one) => [one.hostname, one.status, one.certificate.state, detailOf(one)]);
    session.output.answer({ domains }, () =>
      table(['NAME', 'STATUS', 'CERTIFICATE', ''], rows, 'No domains: longshore domains add NAME'),
    );
  },
});

/** The reason why the name or its certificate does not work. */
const detailOf = ({ status, detail, certificate }: Domain): string =>
  status === 'active' && certificate.detail !== '' ? certificate.detail : detail;

const add = buildCommand({
  docs: { brief: 'Add a domain; shows the DNS records that it needs' },
  parameters: { flags: serviceFlags, aliases, positional: nameArgument },
  async func(this: CommandLine, flags: ServiceFlags, hostname: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const reply = await session.client.call('POST /api/services/:serviceId/domains', {
      params: { serviceId: service.id },
      body: { hostname },
    });
    session.output.answer(reply, () => hostname);
    const records = recordsOf(reply.domain, reply.targetIp);
    if (records.length > 0) session.output.progress(['Create these DNS records:', ...records].join('\n'));
    if (!reply.proxy.ok) session.output.progress(reply.proxy.detail);
    if (existsSync(hostname))
      session.output.progress(
        `A file here has this name. If you meant a wildcard, remove the domain, and quote the wildcard: 'longshore domains add "*.example.com"'.`,
      );
  },
});

function recordsOf(domain: Domain | undefined, targetIp: string | undefined): string[] {
  if (domain === undefined || domain.status === 'active') return [];
  const address = targetIp
    ? [`  ${domain.hostname}  ${targetIp.includes(':') ? 'AAAA' : 'A'}  ${targetIp}`]
    : [];
  const { proof } = domain;
  return [...address, ...(proof ? [`  ${proof.name}  ${proof.recordType}  ${proof.value}`] : [])];
}

const point = buildCommand({
  docs: {
    brief: 'Point a domain to its host, at the DNS provider that the operator has connected',
    fullDescription:
      'Creates or changes the address record of the name. If the record points to another machine, the command shows that address and asks first. Only a key for all projects may replace such a record.',
  },
  parameters: {
    flags: {
      ...serviceFlags,
      provider: {
        kind: 'enum',
        values: ['cloudflare', 'namecheap', 'spaceship'],
        brief: 'DNS provider to use, if several have the zone',
        optional: true,
      },
      replace: switchFlag('Replace a record that points to another machine without asking'),
    },
    aliases: { ...aliases, y: 'replace' },
    positional: ownNameArgument,
  },
  async func(this: CommandLine, flags: PointFlags, hostname: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const domain = await domainOf(session, service.id, hostname);
    const set = (replace: boolean) =>
      session.client.call('POST /api/services/:serviceId/domains/:domainId/dns-records', {
        params: { serviceId: service.id, domainId: domain.id },
        body: { ...(flags.provider ? { providerId: flags.provider } : {}), ...(replace ? { replace } : {}) },
      });
    const reply = await set(false).catch(async (error: unknown) => {
      const held = pointsElsewhere(error);
      if (held === undefined) throw error;
      await confirm(this.process, `${held} Point it to the host of ${service.slug} instead?`, flags.replace);
      return set(true);
    });
    const { recordType, targetIp, providerName } = reply.result;
    session.output.answer(reply, () => `${domain.hostname}  ${recordType}  ${targetIp}  at ${providerName}`);
    const { verificationRecord: proof } = reply;
    if (proof?.action === 'failed')
      session.output.progress(`The TXT record ${proof.name} was not created: ${proof.detail ?? ''}`);
  },
});

type PointFlags = ServiceFlags & {
  provider?: 'cloudflare' | 'namecheap' | 'spaceship';
  replace: boolean;
};

async function domainOf({ client }: Session, serviceId: string, hostname: string): Promise<Domain> {
  const params = { serviceId };
  const { domains } = await client.call('GET /api/services/:serviceId/overview', { params });
  const domain = domains.find((one) => one.hostname === hostname || one.id === hostname);
  if (domain !== undefined) return domain;
  const names = domains.map((one) => one.hostname);
  throw usageFailure(missingName('domain', hostname, names));
}

const remove = buildCommand({
  docs: { brief: 'Remove a domain' },
  parameters: {
    flags: { ...serviceFlags, yes: switchFlag('Do not ask for confirmation') },
    aliases: { ...aliases, y: 'yes' },
    positional: ownNameArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & { yes: boolean }, hostname: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const domain = await domainOf(session, service.id, hostname);
    await confirm(this.process, `Remove ${domain.hostname} from ${service.slug}?`, flags.yes);
    const reply = await session.client.call('DELETE /api/services/:serviceId/domains/:domainId', {
      params: { serviceId: service.id, domainId: domain.id },
    });
    session.output.answer(reply, () => domain.hostname);
  },
});

export const domains = buildRouteMap({
  docs: { brief: 'Domains of a service' },
  routes: { list, add, point, remove },
});
