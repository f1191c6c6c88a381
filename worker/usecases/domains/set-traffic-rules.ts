import type { ProxyResult } from '../../../protocol/host-task.ts';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { assertTakesDomains } from '../../domain/domains/custom-domain.ts';
import { findLoop } from '../../domain/domains/traffic/redirect-loops.ts';
import type { TrafficRulesBody } from '../../domain/domains/traffic/rule-fields.ts';
import { ApiError } from '../../domain/errors.ts';
import { hashPassword } from '../../security/password-hash.ts';
import { selectDomains, setTrafficRules as setRow } from '../../store/domains/domain-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeNames } from './names-tasks.ts';

/** Rules with empty sections. */
const noRules: TrafficRules = {
  redirects: [],
  basicAuth: null,
  maintenance: null,
  requestHeaders: [],
  responseHeaders: [],
  maxBodyMegabytes: null,
  firstByteTimeoutSeconds: null,
  idleTimeoutSeconds: null,
};
const retryAfterDefaultSeconds = 300;

/**
 * Replaces the traffic rules of a service, and sends them to its host.
 * @returns the stored rules, and the answer that a request to the service's own name gets now
 * @throws ApiError `unsupported` for workers and databases; `invalid_request` for a name of another service, a user without a password and a redirect
 *   loop
 */
export async function setTrafficRules(
  deps: Dependencies,
  service: ServiceRow,
  body: TrafficRulesBody,
): Promise<{ rules: TrafficRules; proxy: ProxyResult }> {
  assertTakesDomains(service);
  const domains = await selectDomains(deps.db, service.id);
  const names = [service.generatedHostname, ...domains.map(({ hostname }) => hostname)].filter(
    (name) => name !== null,
  );
  assertOwnNames(body, names);
  assertIdleTimeIsLonger(body);
  const rules = await rulesOf(body, service.trafficRules);
  const loop = findLoop(rules.redirects, names);
  if (loop) throw circle(loop);
  const stored = isEmpty(rules) ? null : rules;
  const proxy = await changeNames(deps, setRow(deps.db, service.id, stored, deps.now()), {
    serviceId: service.id,
    changed: service.generatedHostname === null ? [] : [service.generatedHostname],
  });
  return { rules, proxy };
}

/** The stored traffic rules of a service; empty rules if it has none. */
export const storedRules = ({ trafficRules }: Pick<ServiceRow, 'trafficRules'>): TrafficRules => ({
  ...noRules,
  ...trafficRules,
});

async function rulesOf(body: TrafficRulesBody, before: TrafficRules | null): Promise<TrafficRules> {
  const { redirects = [], basicAuth, maintenance, requestHeaders = [], responseHeaders = [] } = body;
  return {
    redirects: redirects.map(
      ({ domains = [], fromPath = '/', match = 'prefix', keepPath, to, permanent }) => ({
        domains,
        path: fromPath,
        match,
        to,
        status: permanent ? 308 : 307,
        keepPath: keepPath ?? match === 'prefix',
      }),
    ),
    basicAuth: basicAuth
      ? {
          domains: basicAuth.domains ?? [],
          users: await hashedUsers(basicAuth.users, before?.basicAuth?.users ?? []),
          openPaths: basicAuth.openPaths ?? [],
        }
      : null,
    maintenance: maintenance
      ? {
          domains: maintenance.domains ?? [],
          retryAfterSeconds: maintenance.retryAfterSeconds ?? retryAfterDefaultSeconds,
          allowedAddresses: maintenance.allowedAddresses ?? [],
        }
      : null,
    requestHeaders: requestHeaders.map(headerRule),
    responseHeaders: responseHeaders.map(headerRule),
    maxBodyMegabytes: body.maxBodyMegabytes ?? null,
    firstByteTimeoutSeconds: body.firstByteTimeoutSeconds ?? null,
    idleTimeoutSeconds: body.idleTimeoutSeconds ?? null,
    ...(body.accessLog && { accessLog: { sample: body.accessLog.sample ?? 1 } }),
  };
}

const headerRule = ({
  change,
  header,
  content = '',
}: NonNullable<TrafficRulesBody['requestHeaders']>[number]) => ({
  action: change,
  name: header,
  value: content,
});

async function hashedUsers(
  users: NonNullable<TrafficRulesBody['basicAuth']>['users'],
  before: readonly { name: string; hash: string }[],
) {
  const twice = users.find(({ user }, index) => users.findIndex((one) => one.user === user) !== index);
  if (twice) throw invalid(`The field "basicAuth.users" has "${twice.user}" twice.`);
  return Promise.all(
    users.map(async ({ user, password }) => {
      const kept = before.find(({ name }) => name === user);
      if (password !== undefined) return { name: user, hash: await hashPassword(password) };
      if (kept) return kept;
      throw invalid(`The field "basicAuth.users" has the new user "${user}" without a "password": give one.`);
    }),
  );
}

function assertOwnNames(body: TrafficRulesBody, names: readonly string[]): void {
  const { redirects = [], basicAuth, maintenance } = body;
  const scopes = [
    ...redirects.map(({ domains }, index) => [`redirects[${index}].domains`, domains] as const),
    ['basicAuth.domains', basicAuth?.domains] as const,
    ['maintenance.domains', maintenance?.domains] as const,
  ];
  for (const [field, domains = []] of scopes) {
    const other = domains.find((name) => !names.includes(name));
    if (other !== undefined) {
      throw invalid(
        `The field "${field}" has ${other}, which is no name of this service: add it as a domain first, or leave it out.`,
      );
    }
  }
}

/** An app that has not begun its answer counts as silent, too. */
function assertIdleTimeIsLonger({
  firstByteTimeoutSeconds: first,
  idleTimeoutSeconds: idle,
}: TrafficRulesBody) {
  if (!first || !idle || first < idle) return;
  throw invalid(
    `The field "firstByteTimeoutSeconds" must be shorter than "idleTimeoutSeconds" (${idle}), which ends an answer that has not begun, too: lower it, or leave it out.`,
  );
}

const isEmpty = (rules: TrafficRules) => JSON.stringify(rules) === JSON.stringify(noRules);

const invalid = (sentence: string) => new ApiError('invalid_request', sentence);
const circle = (chain: readonly string[]) =>
  invalid(`The field "redirects" leads visitors in a circle, or over too many steps: ${chain.join(' -> ')}.`);
