/** The queries of the operator's pages. All keys begin with `operator`, so that signing out removes their answers. */

import type { ReplyOf } from '../../../client/client.ts';
import { isOperator, operatorApi } from '../../api/operator.ts';
import { queries } from '../../api/query-client.ts';
import { useQuery } from '../../api/use-query.ts';

export type Host = ReplyOf<'GET /api/system/runners'>['runners'][number];
export type ApiKey = ReplyOf<'GET /api/system/keys'>['keys'][number];
export type Upgrades = ReplyOf<'GET /api/system/upgrades'>;
export type Tenant = ReplyOf<'GET /api/system/tenants'>['tenants'][number];

/** There is no stream for hosts, so a visible page polls this often. */
const hostsRenewedMs = 15_000;

export const useHosts = () =>
  useQuery(() => ({
    queryKey: ['operator', 'hosts'],
    enabled: isOperator(),
    refetchInterval: hostsRenewedMs,
    queryFn: async ({ signal }) => (await operatorApi.all('GET /api/system/runners', { signal })).runners,
  }));

export const useUpgrades = () =>
  useQuery(() => ({
    queryKey: ['operator', 'upgrades'],
    enabled: isOperator(),
    queryFn: ({ signal }) => operatorApi.call('GET /api/system/upgrades', { signal }),
  }));

export const useInstanceSettings = () =>
  useQuery(() => ({
    queryKey: ['operator', 'settings'],
    enabled: isOperator(),
    queryFn: async ({ signal }) => (await operatorApi.call('GET /api/system/settings', { signal })).settings,
  }));

export const useCosts = () =>
  useQuery(() => ({
    queryKey: ['operator', 'costs'],
    enabled: isOperator(),
    queryFn: async ({ signal }) => (await operatorApi.call('GET /api/system/costs', { signal })).costs,
  }));

export const useKeys = () =>
  useQuery(() => ({
    queryKey: ['operator', 'keys'],
    enabled: isOperator(),
    queryFn: async ({ signal }) => (await operatorApi.all('GET /api/system/keys', { signal })).keys,
  }));

export const useTenants = () =>
  useQuery(() => ({
    queryKey: ['operator', 'tenants'],
    enabled: isOperator(),
    queryFn: async ({ signal }) => (await operatorApi.all('GET /api/system/tenants', { signal })).tenants,
  }));

export const useOperatorSessions = () =>
  useQuery(() => ({
    queryKey: ['operator', 'sessions'],
    enabled: isOperator(),
    queryFn: async ({ signal }) => (await operatorApi.call('GET /api/system/sessions', { signal })).sessions,
  }));

/** Renews one of these queries. */
export const renew = (name: string): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['operator', name] });
