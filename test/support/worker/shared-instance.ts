/** Two tenants on one host, and the public DNS for both. */
import { createDependencies } from '../../../worker/context.ts';
import { verificationValue } from '../../../worker/domain/domains/name-verification.ts';
import { createLookUpTxt } from '../../../worker/gateways/dns/txt-records.ts';
import { selectNameOwner } from '../../../worker/store/domains/name-verification-store.ts';
import type { Dependencies } from '../../../worker/usecases/dependencies.ts';
import { askTxtFromHost } from '../../../worker/usecases/domains/check-verification.ts';
import { sweepVerifications } from '../../../worker/usecases/domains/sweep-verifications.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertService,
  insertTenant,
  type Json,
} from './api.ts';
import { answerNames } from './domains.ts';
import { FakeRunner } from './fake-runner.ts';
import { newHost } from './host.ts';
import { DohServer } from './servers/doh-server.ts';

export type SharedInstance = Awaited<ReturnType<typeof sharedInstance>>;
export type TestTenant = Awaited<ReturnType<SharedInstance['addTenant']>>;

export async function sharedInstance() {
  const dns = new DohServer();
  const withDns = (own: Dependencies): Dependencies => ({
    ...own,
    lookUpTxt: createLookUpTxt({ fetch: dns.fetch, askHost: askTxtFromHost(own) }),
  });
  const call = createClient({ dependenciesOf: (bindings) => withDns(createDependencies(bindings)) });
  const host = await newHost({ shared: true });
  const runner = await FakeRunner.connect(host.keys);
  return {
    dns,
    call,
    host,
    runner,
    /** Runs the look-ups of the next minute. */
    async sweep() {
      await deps.db.run('update domains set proof_checked_at = proof_checked_at - 3600000');
      await sweepVerifications(withDns(deps));
    },
    /** A tenant with a service on the host. @param id of an existing tenant */
    async addTenant(name: string, id?: string) {
      const tenantId = id ?? (await insertTenant(name));
      const project = await insertProject({ tenantId });
      const addService = () => insertService({ projectId: project.id, runnerId: host.runnerId });
      const service = await addService();
      const { token } = await insertKey({ tenantId });
      const path = (serviceId = service.id) => `/api/services/${serviceId}/domains`;
      const domains = async (serviceId = service.id): Promise<Json[]> =>
        (await call('GET', `/api/services/${serviceId}/overview`, { token })).body.domains;
      return {
        tenantId,
        project,
        service,
        token,
        addService,
        domains,
        add: (hostname: string, serviceId = service.id) =>
          call('POST', path(serviceId), { token, body: { hostname } }),
        /** Adds a name that points to the host, and the host's answer. */
        addRouted: async (hostname: string, serviceId = service.id) => {
          const [reply] = await Promise.all([
            call('POST', path(serviceId), { token, body: { hostname } }),
            answerNames(runner),
          ]);
          return reply;
        },
        rename: (domainId: string, hostname: string) =>
          call('PATCH', `${path()}/${domainId}`, { token, body: { hostname } }),
        remove: (domainId: string) => call('DELETE', `${path()}/${domainId}`, { token }),
        /** The value of the tenant's TXT records. */
        value: verificationValue((await selectNameOwner(deps.db, tenantId))[0]?.token ?? ''),
      };
    },
  };
}
