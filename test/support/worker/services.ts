/** A project with one host, and services created in it through the API. */
import { expect } from 'vitest';
import {
  type Client,
  createClient,
  insertKey,
  insertProject,
  insertRunner,
  type Json,
  type Reply,
} from './api.ts';

export interface ServiceBench {
  call: Client;
  token: string;
  project: Awaited<ReturnType<typeof insertProject>>;
  runner: Awaited<ReturnType<typeof insertRunner>>;
  /** Creates a service by POST. */
  create(body: unknown, projectId?: string): Promise<Reply>;
  /** Creates a service by POST. @returns the service in the answer */
  created(body: unknown, projectId?: string): Promise<Json>;
  patch(serviceId: string, body: unknown): Promise<Reply>;
  overview(serviceId: string): Promise<Json>;
}

export const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export async function serviceBench(): Promise<ServiceBench> {
  const call = createClient();
  const { token } = await insertKey();
  const project = await insertProject({ slug: 'shop' });
  const runner = await insertRunner();
  const create = (body: unknown, projectId = project.id) =>
    call('POST', `/api/projects/${projectId}/services`, { token, body });
  return {
    call,
    token,
    project,
    runner,
    create,
    async created(body, projectId) {
      const reply = await create(body, projectId);
      expect(reply.text).toContain('"service"');
      return reply.body.service;
    },
    patch: (id, body) => call('PATCH', `/api/services/${id}`, { token, body }),
    overview: async (id) => (await call('GET', `/api/services/${id}/overview`, { token })).body,
  };
}
