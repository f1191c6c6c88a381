/** The source of members: the user's tenant for an owner, any tenant for the operator. */
import type { ReplyOf, Routes } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { operatorApi } from '../../../api/operator.ts';
import { queries } from '../../../api/query-client.ts';

export type Member = ReplyOf<'GET /api/members'>['members'][number];
export type Role = Member['role'];
export type Link = ReplyOf<'POST /api/members/:memberId/links'>['link'];
export type Invitation = Routes['POST /api/members']['body'];
export type Changes = Routes['PATCH /api/members/:memberId']['body'];

export interface MemberSource {
  queryKey: readonly string[];
  list(signal: AbortSignal): Promise<Member[]>;
  invite(body: Invitation): Promise<{ link: Link }>;
  change(memberId: string, body: Changes): Promise<unknown>;
  remove(memberId: string): Promise<unknown>;
  link(memberId: string): Promise<{ link: Link }>;
}

export const ownMembers: MemberSource = {
  queryKey: ['members'],
  list: async (signal) => (await api.all('GET /api/members', { signal })).members,
  invite: (body) => api.call('POST /api/members', { body }),
  change: (memberId, body) => api.call('PATCH /api/members/:memberId', { params: { memberId }, body }),
  remove: (memberId) => api.call('DELETE /api/members/:memberId', { params: { memberId } }),
  link: (memberId) => api.call('POST /api/members/:memberId/links', { params: { memberId } }),
};

export const membersOfTenant = (tenantId: string): MemberSource => ({
  queryKey: ['operator', 'members', tenantId],
  list: async (signal) =>
    (await operatorApi.all('GET /api/system/tenants/:tenantId/members', { params: { tenantId }, signal }))
      .members,
  invite: (body) =>
    operatorApi.call('POST /api/system/tenants/:tenantId/members', { params: { tenantId }, body }),
  change: (memberId, body) =>
    operatorApi.call('PATCH /api/system/members/:memberId', { params: { memberId }, body }),
  remove: (memberId) => operatorApi.call('DELETE /api/system/members/:memberId', { params: { memberId } }),
  link: (memberId) => operatorApi.call('POST /api/system/members/:memberId/links', { params: { memberId } }),
});

/** Renews the members. */
export const renewMembers = ({ queryKey }: MemberSource): Promise<void> =>
  queries.invalidateQueries({ queryKey });

/** The complete link to send to the person. */
export const addressOf = ({ path }: Link): string => `${location.origin}${path}`;
