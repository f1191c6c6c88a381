/** A project with trust policies, the issuers that it trusts, and the app that can reach them. */
import { createCiIssuers, createKnownIssuers } from '../../../worker/gateways/identity/ci-issuers.ts';
import { createKeySets } from '../../../worker/gateways/identity/key-sets.ts';
import { isolateMemory } from '../../../worker/http/isolate-memory.ts';
import { createClient, deps, fromNewAddress, insertKey, insertProject, type Json } from './api.ts';
import { CiIssuer } from './servers/ci-issuer.ts';

export const gitHubIssuer = 'https://token.actions.githubusercontent.com';
export const minuteMs = 60_000;

/** @param cooldownMs pause between two fetches of the keys */
export async function useTrust({ keepMs = 0, cooldownMs = 0, timeLimitMs = 300 } = {}) {
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const server = await CiIssuer.start(gitHubIssuer, now);
  const metadata = createKnownIssuers({ keepMs, keepFailureMs: 0, waitMs: 60_000, now });
  const ciIssuers = createCiIssuers({
    ...{ fetch: server.fetch, keySets: createKeySets(cooldownMs), metadata, timeLimitMs },
  });
  const memory = isolateMemory({ signInGatherMs: 0 });
  const call = createClient({ memory, dependenciesOf: () => ({ ...deps, now, ciIssuers }) });

  /** A project with a policy, and the key of its owner. */
  const aProject = async (fields: Json = {}, { tenantId = 'default' } = {}) => {
    const project = await insertProject({ tenantId });
    const { token } = await insertKey({ tenantId });
    const trust = async (rules: Json = {}) => {
      const body = { provider: 'github', repository: 'octo-org/shop', branches: ['main'], ...rules };
      const reply = await call('POST', `/api/projects/${project.id}/trust-policies`, { token, body });
      if (reply.status !== 200) throw new Error(reply.text);
      return reply.body.trustPolicy;
    };
    return { project, token, trust, policy: await trust(fields) };
  };

  const exchange = (idToken: string, project: string, address?: string) => {
    const headers = address === undefined ? fromNewAddress() : { 'cf-connecting-ip': address };
    return call('POST', '/api/keys/exchange', { body: { token: idToken, project }, headers });
  };
  return { clock, server, call, aProject, exchange };
}
